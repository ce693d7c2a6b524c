import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { ObjectFormat } from '../../../../src/core/git/index.ts'

const TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const
export type HandType = keyof typeof TYPES

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** The header of an object in a pack: its type number and the size that it claims. */
export function objectHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 0x80
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}

/** Objects made by hand, so that they may hold what no client would make. */
export function byHand(format: ObjectFormat) {
  const oid = (type: string, content: Buffer): string =>
    createHash(format).update(`${type} ${content.length}\0`).update(content).digest('hex')
  /** A pack of these parts that claims to have `count` objects. */
  const sealed = (parts: readonly Buffer[], count: number): Buffer => {
    const body = Buffer.concat([Buffer.from('PACK'), uint32(2), uint32(count), ...parts])
    return Buffer.concat([body, createHash(format).update(body).digest()])
  }
  return {
    oid,
    sealed,
    zero: '0'.repeat(format === 'sha1' ? 40 : 64),
    pack: (objects: readonly (readonly [type: HandType, content: Buffer])[]): Buffer =>
      sealed(
        objects.flatMap(([type, content]) => [objectHead(TYPES[type], content.length), deflateSync(content)]),
        objects.length,
      ),
    entry: (mode: string, name: string, id: string): Buffer =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
    commitOf: (tree: string, who = 'A <a@b> 1 +0000'): Buffer =>
      Buffer.from(`tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nx\n`),
  }
}
