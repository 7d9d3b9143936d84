// What the workers of the exported page load. Before it, files.js lists the files of this version by the SHA-256 of
// their contents. What a server sends can be another file: a page in place of one that it does not have, what it or
// the browser kept of an upload that was not complete, or the content of a packed file.

/**
 * Returns the content of a file of this version, unpacked. It throws an error for people.
 * @param {string} name
 * @param {string} [folder] of the version, from here
 */
self.load = async (name, folder = '') => {
  for (const cache of ['default', 'reload']) {
    const response = await fetch(folder + name, { cache }).catch(() => null);
    if (!response) throw new Error(`${name} cannot be loaded`);
    if (!response.ok || /^text\/html/.test(response.headers.get('Content-Type'))) continue;
    const content = await response.arrayBuffer().then((b) => unpacked(new Uint8Array(b))).catch(() => null);
    if (content && await isOurs(name, content)) return content;
  }
  throw new Error(`${name} of this version of the page is not on its server`);
};

/** The content of a file that is packed by gzip; some servers let the browser unpack it. */
async function unpacked(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

/** Browsers compute digests on https and localhost only. Elsewhere the name has to do, since the folder is that of the version. */
async function isOurs(name, content) {
  if (!self.crypto?.subtle) return true;
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', content));
  return Array.from(sum, (b) => b.toString(16).padStart(2, '0')).join('') === self.files[name];
}
