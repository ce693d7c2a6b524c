import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sha256Hex } from '../platform/crypto/crypto.ts'
import { createBlobStore } from './blob-store.ts'
import { createFileBackend } from './file-backend.ts'
import { writeStream } from './receive.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ingot-blobs-'))
})
afterEach(() => rm(directory, { recursive: true }))

const bytes = (text: string) => [Buffer.from(text)]
const files = async () =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

describe('blobs in files', () => {
  it('returns what was put, whole and in ranges, once per content', async () => {
    const blobs = createBlobStore({ primary: await createFileBackend(directory) })
    const [one, two] = await Promise.all([
      blobs.put([Buffer.from('hello '), Buffer.from('world')]),
      blobs.put(bytes('hello world')),
    ])
    expect(one).toEqual({ hash: sha256Hex('hello world'), size: 11 })
    expect(two).toEqual(one)
    expect(await files()).toEqual([one.hash])
    expect(await blobs.size(one.hash)).toBe(11)
    expect(String(await buffer((await blobs.open(one.hash))!))).toBe('hello world')
    expect(String(await buffer((await blobs.open(one.hash, { start: 2, end: 4 }))!))).toBe('llo')
    expect(String(await buffer((await blobs.open(one.hash, { start: 6 }))!))).toBe('world')
    expect(await Array.fromAsync(blobs.list())).toMatchObject([one])
    await blobs.delete(one.hash)
    await blobs.delete(one.hash)
    expect(await blobs.open(one.hash)).toBeUndefined()
    expect(await files()).toEqual([])
  })

  it('leaves nothing of an upload that is too large, not as announced, broken off or without a row', async () => {
    const blobs = createBlobStore({ primary: await createFileBackend(directory) })
    await expect(blobs.put(bytes('too long'), { maxBytes: 7 })).rejects.toMatchObject({ kind: 'too-large' })
    await expect(blobs.put(bytes('x'), { expected: { size: 2 } })).rejects.toMatchObject({ kind: 'invalid' })
    await expect(blobs.put(bytes('x'), { expected: { hash: sha256Hex('y') } })).rejects.toMatchObject({
      kind: 'invalid',
    })
    async function* broken() {
      yield Buffer.from('half')
      throw new Error('gone')
    }
    await expect(blobs.put(broken())).rejects.toThrow('gone')
    await expect(blobs.put(bytes('x'), {}, async () => Promise.reject(new Error('no row')))).rejects.toThrow('no row')
    expect(await files()).toEqual([])
  })

  it('reports a failed upload only after its file is closed, so that no file appears after the deletion', async () => {
    async function* broken() {
      yield Buffer.from('half')
      throw new Error('gone')
    }
    for (let number = 0; number < 50; number++) {
      const path = join(directory, String(number))
      const exists = await writeStream(path, broken()).then(
        () => undefined,
        () => existsSync(path),
      )
      expect(exists).toBe(true)
    }
  })

  it('keeps a blob that another row names', async () => {
    const blobs = createBlobStore({ primary: await createFileBackend(directory) })
    const { hash } = await blobs.put(bytes('shared'))
    await expect(blobs.put(bytes('shared'), {}, async () => Promise.reject(new Error('no row')))).rejects.toThrow(
      'no row',
    )
    await blobs.delete(hash, async () => true)
    expect(await blobs.size(hash)).toBe(6)
  })

  it('does not accept a path as a hash, and deletes uploads that a crash left behind', async () => {
    await mkdir(join(directory, 'tmp'))
    await writeFile(join(directory, 'tmp', 'left'), 'x')
    const blobs = createBlobStore({ primary: await createFileBackend(directory) })
    expect(await files()).toEqual([])
    expect(await blobs.open('../../etc/passwd')).toBeUndefined()
    expect(await blobs.size('')).toBeUndefined()
    await blobs.delete('..')
  })

  it('keeps a blob until its last hold is released, and then if a row names it', async () => {
    const blobs = createBlobStore({ primary: await createFileBackend(directory) })
    const [one, two] = [blobs.hold(), blobs.hold()]
    const { hash } = await one.put(bytes('held'))
    await two.put(bytes('held'))
    const named = await one.put(bytes('named'))
    await blobs.delete(hash)
    expect(await blobs.size(hash)).toBe(4)
    await one.release(async (given) => given === named.hash)
    expect([await blobs.size(hash), await blobs.size(named.hash)]).toEqual([4, 5])
    await two.release(async () => false)
    expect(await files()).toEqual([named.hash])
  })
})
