package game_test

import (
	"encoding/json"
	"testing"

	"marsgym/env/game"
)

// TestSceneJSON: places are pairs of numbers, and borders pairs of cells, and a scene is written as it
// was read.
func TestSceneJSON(t *testing.T) {
	const text = `{"text":"a","goal":"b","player":1,"seats":[{"score":{"name":"points","value":3}}],` +
		`"map":{"width":4,"height":3,"unit":1,"cells":[{"name":"c","text":"d","at":[1,2],"anchor":[3,0.5],"outline":[[[0,1],[2,3]]],"pieces":[{"kind":"robot","seat":0,"count":2}]}],"borders":[[0,1],[1,2]]},` +
		`"options":[{"action":5,"name":"e"}]}`
	var s game.Scene
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(s); err != nil || string(got) != text {
		t.Errorf("%s became %s, %v", text, got, err)
	}
}
