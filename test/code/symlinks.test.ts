import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { codeRepo, oracle, type CodeRepo } from './code-world.ts'

const SECRET = 'name: stolen\nabout: the content of a file that no user may read'

let now = Date.parse('2026-05-01T10:00:00Z')
let server: TestServer
let ann: Person
let code: CodeRepo
/** A file of the server, outside of all repositories. */
let target: string

const link = (path: string): string => `M 120000 inline ${path}\ndata ${Buffer.byteLength(target)}\n${target}\n`
/** A fast-import stream of one commit. */
const history = (changes: readonly string[]): string =>
  `commit refs/heads/main\ncommitter T <t@example.test> 1700000000 +0000\ndata 1\nx\n${changes.join('')}\n`

/** Every path that the server itself reads in a repository; git refuses a link at `.gitmodules`. */
const READ_BY_THE_SERVER = [
  'README.md',
  'LICENSE',
  '.editorconfig',
  '.gitattributes',
  '.lfsconfig',
  '.gitea/template',
  '.gitea/ISSUE_TEMPLATE/bug.md',
  '.gitea/ISSUE_TEMPLATE/form.yaml',
  '.gitea/ISSUE_TEMPLATE/config.yaml',
  'CODEOWNERS',
  'dir/link.go',
]

beforeAll(async () => {
  server = await startServer({ clock: { now: () => now } })
  ann = await server.world.user('ann')
  target = join(server.dataDir, 'secret')
  writeFileSync(target, SECRET)
  code = await codeRepo(server, ann, { name: 'code', history: history(READ_BY_THE_SERVER.map(link)) })
  expect((await ann.client.patch(code.path, { template: true })).status).toBe(200)
  expect(
    (
      await ann.client.post(`${code.path}/contents/src/main.go`, {
        content: Buffer.from('package main\n').toString('base64'),
      })
    ).status,
  ).toBe(201)
  await server.drain()
  now += 60_000
  await server.drain()
})
afterAll(() => server.close())

async function textOf(path: string): Promise<string> {
  const answer = await ann.client.get(path)
  expect(answer.status, path).toBeLessThan(500)
  return answer.text + Buffer.from(answer.text.match(/"content": ?"([^"]*)"/)?.[1] ?? '', 'base64').toString()
}

describe('symbolic links in a repository', () => {
  it('are shown as links and never followed out of it', async () => {
    for (const path of READ_BY_THE_SERVER) {
      expect((await ann.client.get(`${code.path}/contents/${path}`)).json, path).toMatchObject({
        type: 'symlink',
        target,
      })
      for (const place of ['contents', 'raw', 'media', 'editorconfig', 'contents-ext'])
        expect(await textOf(`${code.path}/${place}/${path}`), `${place} ${path}`).not.toContain('stolen')
      expect((await ann.client.get(`//ann/code/raw/branch/main/${path}`)).text).not.toContain('stolen')
    }
    for (const path of [
      '/issue_templates',
      '/issue_config',
      '/issue_config/validate',
      '/licenses',
      '/languages',
      '/contents',
      '/git/trees/main?recursive=true',
      '/archive/main.tar.gz',
      '/git/commits/main.diff',
    ])
      expect(await textOf(code.path + path), path).not.toContain('stolen')
    expect((await ann.client.get(`${code.path}/issue_templates`)).json).toEqual([])
    expect((await ann.client.get(`${code.path}/licenses`)).json).toEqual([])
    expect((await ann.client.get(`${code.path}/languages`)).json).toEqual({ Go: 13 })
  })

  it('remain links in repositories generated from a template, and are not read as the list of files to expand', async () => {
    const made = await ann.client.post(`${code.path}/generate`, { owner: 'ann', name: 'copy', git_content: true })
    expect(made.status).toBe(201)
    const { path } = server.app.git.open(await server.app.repos.getById(made.json.id))
    for (const name of ['README.md', 'LICENSE', 'dir/link.go'])
      expect(oracle(path, ['ls-tree', 'main', name]), name).toMatch(/^120000 /)
    expect(oracle(path, ['log', '-p', '--all'])).not.toContain('stolen')
  })

  it('are not written through, but moved and deleted as links', async () => {
    const { json } = await ann.client.get(`${code.path}/contents/LICENSE`)
    const content = Buffer.from('mine').toString('base64')
    for (const [path, sha] of [
      ['LICENSE', json.sha],
      ['README.md/below', undefined],
    ])
      expect((await ann.client.put(`${code.path}/contents/${path}`, { content, sha })).status, path).toBe(422)
    const moved = await ann.client.post(`${code.path}/contents`, {
      files: [{ operation: 'rename', path: 'moved', from_path: 'LICENSE' }],
    })
    expect(moved).toMatchObject({ status: 201, json: { files: [{ type: 'symlink', target }] } })
    expect((await ann.client.delete(`${code.path}/contents/moved`, { sha: json.sha })).status).toBe(200)
    expect((await ann.client.get(`${code.path}/contents/moved`)).status).toBe(404)
    expect(readFileSync(target, 'utf8')).toBe(SECRET)
  })

  it('are not pages of a wiki', async () => {
    expect((await ann.client.post(`${code.path}/wiki/new`, { title: 'Home', content_base64: 'eA==' })).status).toBe(201)
    const wiki = server.app.git.open({ storage: `${code.repo.storage}.wiki`, objectFormat: 'sha1' })
    oracle(
      wiki.path,
      ['fast-import', '--quiet', '--force'],
      history(['Page.md', '_Sidebar.md', '_Footer.md', 'Home.md'].map(link)),
    )
    for (const path of [
      '/wiki/page/Page',
      '/wiki/page/Home',
      '/wiki/page/_Sidebar',
      '/wiki/pages',
      '/wiki/revisions/Page',
    ])
      expect(await textOf(code.path + path), path).not.toContain('stolen')
  })
})
