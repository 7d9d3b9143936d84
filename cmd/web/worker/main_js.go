// Command worker answers the requests of the exported page of cmd/web in a Web Worker.
// worker.js starts it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall/js"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/web"
	"marsgym/models"
)

// solvedHere lists the games that are solved in the worker. Chosen: they take some
// seconds there and at most half a gigabyte.
var solvedHere = []string{"martian-dice-1", "pig-2", "mars-is-ours-fast-2"}

func main() {
	var files []string
	list := js.Global().Get("files")
	for i := range list.Length() {
		files = append(files, list.Index(i).String())
	}
	values := func(g env.Game) string { return "values/" + nameOf(g.Spec()) + ".solution" }
	app := web.New(web.Options{
		Solvable: func(g env.Game) bool {
			return slices.Contains(files, values(g)) || slices.Contains(solvedHere, nameOf(g.Spec()))
		},
		Solve: func(ctx context.Context, g env.Game) (env.Solution, error) {
			if !slices.Contains(files, values(g)) {
				return g.Solve(ctx, nil)
			}
			b, err := fetch(ctx, values(g))
			if err != nil {
				return nil, err
			}
			return g.DecodeSolution(ctx, b)
		},
		Pretrained: func(ctx context.Context, spec game.Spec) (*models.File, error) {
			file := "networks/" + nameOf(spec) + ".safetensors"
			if !slices.Contains(files, file) {
				return nil, fmt.Errorf("%s: %w", file, fs.ErrNotExist)
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

// nameOf returns the name of the files of a game.
func nameOf(spec game.Spec) string { return fmt.Sprintf("%s-%d", spec.ID, spec.Players) }

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
		done <- result{err: errors.New(args[0].Get("message").String() + "; it is needed once, from the network")}
		return nil
	})
	defer failed.Release()
	js.Global().Call("fetchBytes", name).Call("then", found, failed)
	r := <-done
	return r.bytes, r.err
}
