package message

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Language is a table of messages. In a language with two numbers, one and more, it is all that
// the language needs.
type Language struct {
	Code     string            `json:"-"`                 // such as "de": the name of the file
	Name     string            `json:"name"`              // in the language
	Tag      string            `json:"tag"`               // of BCP 47
	Decimal  string            `json:"decimal,omitempty"` // the mark before decimals; a point where there is none
	Spaced   bool              `json:"spaced,omitempty"`  // whether a space stands between signs and letters or digits
	Messages map[string]string `json:"messages"`          // by key
	Page     map[string]string `json:"page,omitempty"`    // the own texts of the page of cmd/web, by the English ones
}

//go:embed lang/*.json
var files embed.FS

// Languages returns the languages: English, then the others by their codes.
var Languages = sync.OnceValue(func() (list []*Language) {
	entries, err := files.ReadDir("lang")
	if err != nil {
		panic(err) // the files are embedded
	}
	for _, e := range entries {
		text, err := files.ReadFile(path.Join("lang", e.Name()))
		if err != nil {
			panic(err)
		}
		l, err := Read(strings.TrimSuffix(e.Name(), ".json"), text)
		if err != nil {
			panic(err)
		}
		list = append(list, l)
	}
	i := slices.IndexFunc(list, func(l *Language) bool { return l.Code == "en" })
	return slices.Concat(list[i:i+1], list[:i], list[i+1:])
})

// Read reads the table of a language.
func Read(code string, text []byte) (*Language, error) {
	l := &Language{Code: code, Decimal: "."}
	if err := json.Unmarshal(text, l); err != nil {
		return nil, fmt.Errorf("the language %s: %w", code, err)
	}
	return l, nil
}

// English returns the language of keys that are sentences themselves.
func English() *Language { return Languages()[0] }

// Codes returns the codes of the languages.
func Codes() (codes []string) {
	for _, l := range Languages() {
		codes = append(codes, l.Code)
	}
	return codes
}

// Find returns the language of a code, or nil.
func Find(code string) *Language {
	for _, l := range Languages() {
		if l.Code == code {
			return l
		}
	}
	return nil
}

// sentence returns the sentence of a key: that of English where there is none.
func (l *Language) sentence(key string) string {
	text, ok := l.Messages[key]
	if english := English(); !ok && l != english {
		text, ok = english.Messages[key]
	}
	if !ok {
		return key
	}
	return text
}

// spaced returns a text with a space between signs and letters or digits, and none between signs.
func spaced(text string) string {
	sign := func(r rune) bool { return unicode.Is(unicode.Han, r) || r == '「' || r == '」' }
	letter := func(r rune) bool { return r < unicode.MaxLatin1 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	runes := []rune(text)
	var b strings.Builder
	for i, r := range runes {
		if i > 0 {
			last := runes[i-1]
			switch {
			case r == ' ' && i+1 < len(runes) && sign(last) && last != '「' && sign(runes[i+1]) && runes[i+1] != '」':
				continue
			case sign(last) && last != '「' && letter(r), letter(last) && sign(r) && r != '」':
				b.WriteByte(' ')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}
