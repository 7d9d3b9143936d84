// Package message says what happens in games, in the languages that it has tables of. A game
// reports a [Message]: the key of a sentence, and what stands in it, such as seats and numbers. A
// [Speaker] puts it into words by the table of a [Language].
package message

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Message is what there is to say, without the words: a key of the tables, and what stands in the
// holes of its sentence. A key that no table has is itself the sentence, in English.
type Message struct {
	Key string
	// Args are integers, figures, seats, lists of seats, messages, lists of messages, errors, and
	// strings, which are names that every language writes alike.
	Args []any
}

// Seat is a seat of a game, from 0.
type Seat int

// Figure is a number as English writes it, such as "0.5" or "+2".
type Figure string

// New returns a message.
func New(key string, args ...any) Message { return Message{key, args} }

// Count returns a number of things by the word for one of them, such as "die".
func Count[N ~int | ~uint8](n N, thing string) Message {
	if key := "count." + thing; English().Messages[key] != "" {
		return New(key, n)
	}
	return New("{0} × {1}", n, New(thing))
}

// Text returns a message that is the same in every language.
func Text(text string) Message { return New("{0}", text) }

// note and detail are the keys of messages of two parts.
const (
	note   = "note"   // "{0}; {1}"
	detail = "detail" // "{0}: {1}"
)

// Note returns what, and what follows from it behind a semicolon.
func Note(what, after Message) Message { return New(note, what, after) }

// Detail returns what, and what explains it behind a colon.
func Detail(what, why Message) Message { return New(detail, what, why) }

// Head returns a message without what [Note] and [Detail] have added.
func (m Message) Head() Message {
	for m.Key == note || m.Key == detail {
		m = m.Args[0].(Message)
	}
	return m
}

// After returns a message without its head if the message before it has the same head: only the
// detail is new.
func (m Message) After(before Message) Message {
	if m.Key == detail && before.Key == detail && reflect.DeepEqual(m.Args[0], before.Args[0]) {
		return m.Args[1].(Message)
	}
	return m
}

// IsZero reports whether there is nothing to say.
func (m Message) IsZero() bool { return m.Key == "" }

// String returns a message in English, with the numbers of the seats.
func (m Message) String() string { return Speaker{}.Say(m) }

// MarshalJSON writes String.
func (m Message) MarshalJSON() ([]byte, error) { return json.Marshal(m.String()) }

// UnmarshalJSON reads a text, which is the same in every language.
func (m *Message) UnmarshalJSON(text []byte) error {
	var s string
	err := json.Unmarshal(text, &s)
	if *m = (Message{}); s != "" {
		*m = Text(s)
	}
	return err
}

// Error is an error that has an own sentence in each language.
type Error struct{ Message }

// NewError returns an [Error]. It wraps the errors among args.
func NewError(key string, args ...any) error { return Error{New(key, args...)} }

// Error returns the error in English.
func (e Error) Error() string { return e.String() }

// Unwrap returns the errors among the args.
func (e Error) Unwrap() (list []error) {
	for _, arg := range e.Args {
		if err, ok := arg.(error); ok {
			list = append(list, err)
		}
	}
	return list
}

// Speaker puts messages into words. The zero value speaks English and calls seats by their
// numbers.
type Speaker struct {
	Language *Language // nil is English
	Names    []string  // [P] of the seats, "" for the person who is spoken to; nil for numbers
}

// Say returns a message in words.
func (s Speaker) Say(m Message) string { return string(s.Append(nil, m)) }

// Append appends a message in words.
func (s Speaker) Append(dst []byte, m Message) []byte {
	if m.IsZero() {
		return dst
	}
	if s.Language == nil {
		s.Language = English()
	}
	from := len(dst)
	dst = s.fill(dst, s.Language.sentence(m.Key), m.Args)
	if s.Language.Spaced {
		return append(dst[:from], spaced(string(dst[from:]))...)
	}
	return dst
}

// SayAll returns messages in words.
func (s Speaker) SayAll(list []Message) []string {
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = s.Say(m)
	}
	return texts
}

// Word returns a word, or another text without holes, that is its own key.
func (s Speaker) Word(english string) string { return s.Say(Message{Key: english}) }

// Error returns an error in words: those of an [Error], or a text that is its own key.
func (s Speaker) Error(err error) string {
	if e, ok := err.(Error); ok {
		return s.Say(e.Message)
	}
	return s.Word(err.Error())
}

// Name names a seat.
func (s Speaker) Name(seat Seat) string {
	switch {
	case s.person(seat):
		return s.Word("you")
	case int(seat) < len(s.Names):
		return s.Names[seat]
	}
	return s.Say(New("seat {0}", int(seat)))
}

// person reports whether a seat is spoken to.
func (s Speaker) person(seat Seat) bool { return int(seat) < len(s.Names) && s.Names[seat] == "" }

// fill appends a sentence with args in its holes. {0} is the first of them. {0|a|b} is a where it
// is 1, the person who is spoken to, or a message that is not empty, and b elsewhere; holes can
// stand in a and b.
func (s Speaker) fill(dst []byte, sentence string, args []any) []byte {
	for {
		at := strings.IndexByte(sentence, '{')
		if at < 0 {
			return append(dst, sentence...)
		}
		dst = append(dst, sentence[:at]...)
		parts, n, rest := hole(sentence[at:])
		i, err := strconv.Atoi(parts[0])
		switch {
		case err != nil || i < 0 || i >= len(args) || n != 1 && n != 3:
			dst = append(dst, sentence[at:len(sentence)-len(rest)]...) // it is none
		case n == 1:
			dst = s.arg(dst, args[i])
		case s.first(args[i]):
			dst = s.fill(dst, parts[1], args)
		default:
			dst = s.fill(dst, parts[2], args)
		}
		sentence = rest
	}
}

// hole splits a text that begins with a hole into the first parts of the hole, with the number of all
// parts, and the rest.
func hole(text string) (parts [3]string, n int, rest string) {
	if len(text) > 2 && text[2] == '}' { // most have one digit
		return [3]string{text[1:2]}, 1, text[3:]
	}
	depth, from := 0, 1
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 || depth == 1 && text[i] == '|' {
			if n < len(parts) {
				parts[n] = text[from:i]
			}
			n, from = n+1, i+1
		}
		if depth == 0 {
			return parts, n, text[i+1:]
		}
	}
	return [3]string{}, 1, ""
}

// first reports whether the first alternative of a hole holds.
func (s Speaker) first(arg any) bool {
	switch x := arg.(type) {
	case Seat:
		return s.person(x)
	case Message:
		return !x.IsZero()
	case int:
		return x == 1
	case uint8:
		return x == 1
	}
	return fmt.Sprint(arg) == "1"
}

// arg appends an argument in words.
func (s Speaker) arg(dst []byte, arg any) []byte {
	switch x := arg.(type) {
	case string:
		return append(dst, x...)
	case int:
		return strconv.AppendInt(dst, int64(x), 10)
	case uint8:
		return strconv.AppendInt(dst, int64(x), 10)
	case Message:
		return s.Append(dst, x)
	case []Message:
		for i, m := range x {
			if i > 0 {
				dst = append(dst, s.Word(", ")...)
			}
			dst = s.Append(dst, m)
		}
		return dst
	case Seat:
		return append(dst, s.Name(x)...)
	case []Seat:
		return append(dst, s.seats(x)...)
	case Figure:
		return append(dst, strings.Replace(string(x), ".", s.Language.Decimal, 1)...)
	case error:
		return append(dst, s.Error(x)...)
	}
	return fmt.Append(dst, arg)
}

// seats lists seats: by their names, or else by their numbers.
func (s Speaker) seats(list []Seat) string {
	if len(list) == 1 {
		return s.Name(list[0])
	}
	var names []string
	for _, seat := range list {
		if s.Names == nil {
			names = append(names, strconv.Itoa(int(seat)))
		} else {
			names = append(names, s.Name(seat))
		}
	}
	text := names[0]
	if last := len(names) - 1; last > 0 {
		text = strings.Join(names[:last], s.Word(", ")) + s.Word(" and ") + names[last]
	}
	if s.Names == nil {
		return s.Say(New("seats {0}", text))
	}
	return text
}

// Names returns the names of seats for a [Speaker]. Agents of these names sit there, or people where
// a name is "". Several people have the names by person, and agents of the same name have letters
// behind it, after between.
func Names(agents []string, person func(seat int) string, between string) []string {
	count := func(list []string, name string) (n int) {
		for _, x := range list {
			if x == name {
				n++
			}
		}
		return n
	}
	names := slices.Clone(agents)
	for i, name := range agents {
		switch {
		case count(agents, name) == 1:
		case name == "":
			names[i] = person(i)
		default:
			names[i] += between + string(rune('A'+count(agents[:i], name)))
		}
	}
	return names
}
