// Command worker answers the requests of the exported page of cmd/web in a Web Worker.
// worker.js starts it.
package main

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"syscall/js"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/web"
	"marsgym/models"
)

// solvedHere lists the games that are solved in the worker. Chosen: they take some
// seconds there and at most half a gigabyte.
var solvedHere = []string{"martian-dice-1", "pig-2", "mars-is-ours-fast-2"}

func main() {
	var files []string
	list := js.Global().Get("Object").Call("keys", js.Global().Get("files"))
	for i := range list.Length() {
		files = append(files, list.Index(i).String())
	}
	values, networks := web.ByRules(files, "values/", ".safetensors"), web.ByRules(files, "networks/", ".safetensors")
	solved := web.ByRules(solvedHere, "", "")
	app := web.New(web.Options{
		Solvable: func(g env.Game) bool {
			rules := g.Spec().RulesHash()
			return values[rules] != "" || solved[rules] != ""
		},
		Solve: func(ctx context.Context, g env.Game) (env.Solution, error) {
			file := values[g.Spec().RulesHash()]
			if file == "" {
				return g.Solve(ctx, nil)
			}
			b, err := fetch(ctx, file)
			if err != nil {
				return nil, err
			}
			return g.DecodeSolution(ctx, b)
		},
		Pretrained: func(ctx context.Context, spec game.Spec) (*models.File, error) {
			file := networks[spec.RulesHash()]
			if file == "" {
				return nil, fmt.Errorf("the network of %s: %w", spec.FullTitle(), fs.ErrNotExist)
			}
			b, err := fetch(ctx, file)
			if err != nil {
				return nil, err
			}
			return models.Decode(b)
		},
	})
	js.Global().Set("handle", js.FuncOf(func(_ js.Value, args []js.Value) any {
		request, answer := args[0].String(), args[1]
		go func() { // a callback must not wait
			response, _ := app.Handle(context.Background(), []byte(request))
			answer.Invoke(string(response))
		}()
		return nil
	}))
	js.Global().Call("ready")
	select {}
}

// fetch returns a file of the page.
func fetch(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	type result struct {
		bytes []byte
		err   error
	}
	done := make(chan result, 1)
	found := js.FuncOf(func(_ js.Value, args []js.Value) any {
		b := make([]byte, args[0].Length())
		js.CopyBytesToGo(b, args[0])
		done <- result{bytes: b}
		return nil
	})
	defer found.Release()
	failed := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- result{err: message.NewError("{0}; it is needed once, from the network", message.New(strings.Replace(args[0].Get("message").String(), name, "{0}", 1), name))}
		return nil
	})
	defer failed.Release()
	js.Global().Call("load", name).Call("then", found, failed)
	r := <-done
	return r.bytes, r.err
}
