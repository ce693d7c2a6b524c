import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'

/** A tar archive of these files, in their order; a link has a text that begins with `->`. */
export async function tarOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const tar = pack()
  for (const [name, content] of Object.entries(files)) {
    const link = typeof content === 'string' && content.startsWith('->') ? content.slice(2) : undefined
    if (link === undefined) tar.entry({ name, mtime: new Date(0) }, content)
    else tar.entry({ name, type: 'symlink', linkname: link })
  }
  tar.finalize()
  return buffer(tar)
}

/** An ar archive of these members, in their order. */
export const arOf = (members: Readonly<Record<string, Buffer>>): Buffer =>
  Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...Object.entries(members).flatMap(([name, content]) => [
      Buffer.from(`${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(12)}${'100644'.padEnd(8)}`.slice(0, 48)),
      Buffer.from(`${String(content.length).padEnd(10)}\`\n`),
      content,
      Buffer.alloc(content.length % 2, '\n'),
    ]),
  ])
