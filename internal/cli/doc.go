// Package cli is what the commands share: flags, exit statuses, progress bars
// and JSON.
//
// A command is a run function, which a test can call, and a main around it:
//
//	func main() { cli.Main(run) }
//
//	func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
//		return cli.Status(stderr, "solve", solve(ctx, args, stdout, stderr))
//	}
//
//	func solve(ctx context.Context, args []string, stdout, stderr io.Writer) error {
//		f := cli.NewFlags("solve", "Solve answers what best play is worth.")
//		name := f.Game(catalog.IDs())
//		f.Example("go run ./cmd/solve -game pig")
//		if err := f.Parse(args, stdout); err != nil {
//			return err
//		}
//		g, err := cli.OpenGame(name, catalog.Open)
//		...
//	}
package cli
