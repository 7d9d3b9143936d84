// Release copies the model of a run into the folder of the pretrained networks, as
// GAME-PLAYERS.safetensors, with the settings of the run beside it. -game names the
// preset where the game has several, and -play sets how the agent "pretrained" plays.
//
//	go -C tools run ./release -play lookahead:2 ../runs/mars-is-ours-fast-2-001
//
// The card, GAME-PLAYERS.md, is written by hand.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"marsgym/agents"
	"marsgym/env/catalog"
)

func main() {
	err := release(os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func release(args []string, stdout, stderr io.Writer) error {
	f := flag.NewFlagSet("release", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintf(stderr, "Release copies the model of a run and its settings to the pretrained networks.\n\nUsage:\n  go -C tools run ./release [flags] ../RUN\n\n")
		f.PrintDefaults()
	}
	play := f.String("play", "", "how the agent pretrained plays with the network, such as `lookahead:3` (default its policy head)")
	preset := f.String("game", "", "preset of the game, such as `martian-risk-small` (default the game)")
	to := f.String("to", filepath.Join("..", "agents", "pretrained"), "`folder` of the pretrained networks")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return errors.New("want one run folder")
	}
	run := f.Arg(0)
	file, err := agents.LoadModel(run)
	if err != nil {
		return err
	}
	g, err := catalog.Open(file.Meta.Game, 0, file.Meta.Config)
	if err != nil {
		return err
	}
	if *play != "" { // whether the network can play so
		if _, err := agents.Open(context.Background(), *play+":"+run, agents.Options{Game: g}); err != nil {
			return err
		}
	}
	settings, err := os.ReadFile(filepath.Join(run, "config.json"))
	if err != nil {
		return err
	}
	if *preset == "" {
		*preset = g.Spec().ID
	}
	name := filepath.Join(*to, fmt.Sprintf("%s-%d", *preset, g.Spec().Players))
	file.Meta.Play = *play
	if err := file.Save(name + ".safetensors"); err != nil {
		return err
	}
	if err := os.WriteFile(name+".json", settings, 0o666); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s.safetensors and .json written; now write %s.md\n", name, name)
	return err
}
