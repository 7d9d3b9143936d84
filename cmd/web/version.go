package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"path"
	"regexp"
	"strings"
)

// exportPolicy is the content security policy of the exported page. That of the header
// cannot be set there.
var exportPolicy = strings.Replace(policy, " frame-ancestors 'none'", " worker-src 'self'", 1)

const (
	previewFile  = "preview.png"
	licencesFile = "licences.txt"
)

// version lays out the files of the exported page. All that the page loads is in a folder whose
// name is the digest of everything, so that no cache between here and a tab can mix two versions.
// Only index.html and the script that begins the service worker, which name the folder, change in
// their place. In the folder are also files.js, the list of its files with their digests, and
// index.txt, a copy of the page for the service worker: servers add scripts to files of HTML.
func version(files map[string][]byte, url string) (map[string][]byte, error) {
	page, out := files["index.html"], map[string][]byte{}
	files = maps.Clone(files)
	delete(files, "index.html")
	files["manifest.webmanifest"] = bytes.ReplaceAll(files["manifest.webmanifest"], []byte(`"./"`), []byte(`"../"`))
	digests := map[string]string{}
	for name, content := range files {
		plain, err := unpacked(name, content)
		if err != nil {
			return nil, err
		}
		digests[name] = digest(plain)
	}
	everything := maps.Clone(digests)
	everything["index.html"] = digest(exportIndex(page, url, "version/"))
	everything["sw.js"] = digest(starter("version/"))
	list, err := json.Marshal(everything)
	if err != nil {
		return nil, err
	}
	folder := digest(list)[:16] + "/"

	for _, name := range []string{previewFile, licencesFile} { // nothing that runs loads them
		out[name] = files[name]
		delete(files, name)
		delete(digests, name)
	}
	out["index.html"], out["sw.js"] = exportIndex(page, url, folder), starter(folder)
	files["index.txt"], digests["index.txt"] = out["index.html"], digest(out["index.html"])
	if list, err = json.Marshal(digests); err != nil {
		return nil, err
	}
	files["files.js"] = fmt.Appendf(nil, "self.files = %s;\n", list)
	for name, content := range files {
		out[folder+name] = content
	}
	return out, nil
}

// starter returns the script that begins the service worker of the version in a folder.
func starter(folder string) []byte {
	return fmt.Appendf(nil, "self.version = '%[1]s';\nimportScripts('%[1]sfiles.js', '%[1]sload.js', '%[1]ssw.js');\n", folder)
}

func digest(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// unpacked returns the content of a file without the packing that its name tells of.
func unpacked(name string, content []byte) ([]byte, error) {
	if path.Ext(name) != ".gz" {
		return content, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// linked is what the page loads or links to, but for its own parts.
var linked = regexp.MustCompile(`(href|src)="([a-z][\w.-]*)"`)

// exportIndex returns the page with its content security policy, with the files in the folder of
// its version, and with the address of the picture that programs show beside a link. Most want it
// in full: url is that of the page, or "".
func exportIndex(index []byte, url, folder string) []byte {
	const charset, picture = `<meta charset="utf-8">`, `property="og:image" content="`
	index = bytes.Replace(index, []byte(charset), []byte(charset+"\n<meta http-equiv=\"Content-Security-Policy\" content=\""+exportPolicy+"\">"), 1)
	index = linked.ReplaceAll(index, []byte(`$1="`+folder+`$2"`))
	return bytes.Replace(index, []byte(picture), []byte(picture+html.EscapeString(url)), 1)
}
