// Package env plays games, one at a time or many in lockstep.
//
// A [Game] is the handle of one game under one config. It hides the type of the
// state. It makes a [Batch], which plays many games at once in flat buffers that are
// allocated once; an [Env], which plays one game as in Gymnasium; a [Position] for
// people and look-ups; and, if the game is solved, its exact [Solution]. Package
// env/catalog opens the games by name. Packages agents/search and train/expert search
// its games.
//
//	b := g.NewBatch(1024, 0)
//	b.Reset(seed)
//	buf := b.Buffers()
//	for range steps {
//		// read buf.Obs and buf.Mask, write buf.Action
//		if err := b.Step(); err != nil {
//			return err
//		}
//		// read buf.Reward, buf.Terminated and buf.Truncated
//	}
package env
