package main

import (
	"encoding/json"
	"fmt"

	"marsgym/env/game/message"
)

// languageFiles returns the tables of the page's own texts, by the names of their files.
func languageFiles() map[string][]byte {
	files := map[string][]byte{}
	for _, l := range message.Languages() {
		files["lang/"+l.Code+".json"] = encoded(map[string]any{"page": l.Page})
	}
	return files
}

// shell returns the module that tells the page how to reach its logic, and the languages that there
// are: the code that names the table, how the language calls itself, its tag and its decimal mark.
func shell(transport string) string {
	var languages []map[string]string
	for _, l := range message.Languages() {
		languages = append(languages, map[string]string{"code": l.Code, "name": l.Name, "tag": l.Tag, "decimal": l.Decimal})
	}
	return fmt.Sprintf("export const transport = %q;\nexport const languages = %s;\n", transport, encoded(languages))
}

// encoded returns JSON; strings are always JSON.
func encoded(x any) []byte {
	text, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		panic(err)
	}
	return text
}
