import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CodeWorld, oracle, useCodeWorld } from './code-world.ts'
import { MEASURED } from '../harness/measured.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

interface Upload {
  readonly operation: string
  readonly path: string
  readonly content?: string
}

interface Answered {
  readonly files: readonly { readonly path: string; readonly content: string; readonly last_commit_sha: string }[]
  readonly commit: { readonly sha: string }
}

const uploads = (count: number, path: (index: number) => string, text = 'text'): Upload[] =>
  Array.from({ length: count }, (_, index) => ({
    operation: 'upload',
    path: path(index),
    content: base64(`${text} ${index}\n`.repeat(20)),
  }))

describe.each(['sha1', 'sha256'] as const)('many files in one commit of a %s repository', (format) => {
  let { ann, code } = {} as CodeWorld
  useCodeWorld(format, (world) => void ({ ann, code } = world))

  const write = (files: readonly Upload[]) => ann.client.post(`${code.path}/contents`, { files })

  let attempts = 0
  it('are written as one pack, with little work on this thread', MEASURED, async () => {
    const folder = `many${++attempts}`
    const files = uploads(1000, (index) => `${folder}/d${index % 30}/f${index}.txt`)
    await write(uploads(100, (index) => `first${attempts}/f${index}`))
    const packs = readdirSync(join(code.git.path, 'objects/pack')).length
    const before = process.threadCpuUsage()
    const { status, json } = await write(files)
    const { user, system } = process.threadCpuUsage(before)
    expect(status).toBe(201)
    // NOTE: processor time, because it is the same on a busy machine; with one git process for each file it was 7 s.
    expect((user + system) / 1000).toBeLessThan(1500)
    expect(readdirSync(join(code.git.path, 'objects/pack'))).toHaveLength(packs + 2)
    const { files: shown, commit } = json as Answered
    expect(shown.map(({ path, content }) => ({ path, content }))).toEqual(
      files.map(({ path, content }) => ({ path, content })),
    )
    expect(new Set(shown.map((file) => file.last_commit_sha))).toEqual(new Set([commit.sha]))
    expect(oracle(code.git.path, ['ls-tree', '-r', '--name-only', `main:${folder}`]).split('\n')).toHaveLength(1000)
    expect(oracle(code.git.path, ['fsck', '--strict', '--no-dangling'])).toBe('')
  })

  it('name the earlier commit of a file that the request does not change', async () => {
    const first = (await write(uploads(3, (index) => `same/f${index}`))).json as Answered
    const changed = { operation: 'upload', path: 'same/f1', content: base64('changed\n') }
    const files = [...uploads(1, () => 'same/f0'), changed]
    const second = (await write(files)).json as Answered
    expect(second.files.map((file) => file.last_commit_sha)).toEqual([first.commit.sha, second.commit.sha])
  })

  it('are returned item by item if larger than 4 MiB, in the same format', async () => {
    const large = (count: number): Upload[] => {
      const content = Buffer.alloc(1024 * 1024, 'large ').toString('base64')
      return Array.from({ length: count }, (_, index) => ({ operation: 'upload', path: `large/${index}`, content }))
    }
    const buffered = await write(large(4))
    expect([buffered.status, buffered.headers.has('content-length')]).toEqual([201, true])
    const gone = {
      operation: 'delete',
      path: 'large/0',
      sha: (buffered.json as { files: { sha: string }[] }).files[0]!.sha,
    }
    const files = [gone, ...large(6).slice(1)]
    const { status, json, headers } = await write(files)
    expect([status, headers.has('content-length')]).toEqual([201, false])
    expect(headers.get('content-type')).toBe('application/json;charset=utf-8')
    const { files: shown, ...others } = json as Answered
    expect(Object.keys(others)).toEqual(Object.keys(buffered.json).slice(1))
    expect(shown.map((file) => file?.content)).toEqual([
      undefined,
      ...files.slice(1).map((file) => 'content' in file && file.content),
    ])
  })

  it('are at most 1,000', async () => {
    const refused = await write(uploads(1001, (index) => `over/f${index}`))
    expect(refused).toMatchObject({ status: 422, json: { message: expect.stringMatching(/^\[Files\].*1000/) } })
    expect(oracle(code.git.path, ['ls-tree', '--name-only', 'main', 'over'])).toBe('')
  })

  it('have paths of at most 10,000 directories together', async () => {
    const deep = (index: number): string => `deep/${index}/${'d/'.repeat(200)}f`
    const refused = await write(uploads(60, deep))
    expect(refused).toMatchObject({ status: 422, json: { message: expect.stringMatching(/^\[Files\].*10000/) } })
    expect((await write(uploads(40, deep))).status).toBe(201)
    expect(oracle(code.git.path, ['ls-tree', '-r', '--name-only', 'main:deep']).split('\n')).toHaveLength(40)
  })
})
