import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { codeRepo, oracle, type CodeRepo } from './code-world.ts'

const commit = (branch: string, mark: number, from: string, text: string): string =>
  `commit refs/heads/${branch}\nmark :${mark}\ncommitter T <t@example.test> ${1_700_000_000 + mark} +0000\ndata ${text.length}\n${text}\n${from}M 100644 inline ${text}.txt\ndata ${text.length}\n${text}\n\n`

/** main: base, m1; feature/x: base, f1, f2; the tag v1 at base. */
const HISTORY = `${commit('main', 1, '', 'base')}${commit('feature/x', 2, 'from :1\n', 'f1')}${commit('feature/x', 3, 'from :2\n', 'f2')}${commit('main', 4, 'from :1\n', 'm1')}reset refs/tags/v1\nfrom :1\n\n`
const EDITOR =
  '[*]\nindent_style = space\nindent_size = 2\ninsert_final_newline = true\n[*.go]\nindent_style = tab\nindent_size = unset\n[*.md]\ninsert_final_newline = false\n'

let server: TestServer
let ann: Person
let bob: Person
beforeAll(async () => {
  server = await startServer()
  ann = await server.world.user('ann')
  bob = await server.world.user('bob')
})
afterAll(() => server.close())

describe.each(['sha1', 'sha256'] as const)('a %s repository', (format) => {
  let code: CodeRepo
  const compare = (basehead: string, by = server.anonymous) => by.get(`${code.path}/compare/${basehead}`)
  /** The answer as text, which the schema of the operation does not describe. */
  const text = async (basehead: string, output: string): Promise<string> => {
    const answer = await fetch(`${server.url}/api/v1${code.path}/compare/${basehead}?output=${output}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    return answer.text()
  }
  const subjects = (json: { commits: { commit: { message: string } }[] }): string[] =>
    json.commits.map((one) => one.commit.message)
  beforeAll(async () => {
    code = await codeRepo(server, ann, { name: `cmp-${format}`, format, history: HISTORY })
  })

  it('lists the commits that the head has and the base lacks, newest first, in both dot forms', async () => {
    for (const dots of ['...', '..']) {
      const { status, json } = await compare(`main${dots}feature/x`)
      expect(status).toBe(200)
      expect([json.total_commits, subjects(json)]).toEqual([2, ['f2', 'f1']])
      expect(json.commits[0]).toMatchObject({
        sha: code.oid('feature/x'),
        stats: { additions: 1, deletions: 0, total: 1 },
        files: [{ filename: 'f2.txt', status: 'added' }],
      })
    }
    expect(subjects((await compare('feature%2Fx...main')).json)).toEqual(['m1'])
    expect(subjects((await compare('feature/x')).json)).toEqual(['f2', 'f1'])
    expect(subjects((await compare('v1...feature/x~1')).json)).toEqual(['f1'])
    expect(subjects((await compare(`${code.oid('v1')}...${code.oid('main')}`)).json)).toEqual(['m1'])
    expect((await compare('main...main')).json).toEqual({ total_commits: 0, commits: [], files: [] })
    const bare = await compare('main...feature/x?files=false&verification=false')
    expect(bare.json.commits[0].files ?? []).toEqual([])
  })

  it('accepts suffixes that lead to an ancestor on both sides', async () => {
    expect(subjects((await compare('feature/x^...feature/x')).json)).toEqual(['f2'])
    expect(subjects((await compare('main~1...feature/x~1')).json)).toEqual(['f1'])
  })

  it('lists the files that the commits change', async () => {
    const { json } = await compare('main...feature/x')
    expect(
      json.files.toSorted((a: { filename: string }, b: { filename: string }) => (a.filename < b.filename ? -1 : 1)),
    ).toEqual([
      { filename: 'f1.txt', status: 'added' },
      { filename: 'f2.txt', status: 'added' },
    ])
  })

  it('answers the diff or the patches as git prints them', async () => {
    for (const dots of ['...', '..'])
      expect((await text(`main${dots}feature/x`, 'diff')).trim()).toBe(
        oracle(code.git.path, ['diff', '-M', `main${dots}feature/x`]),
      )
    const patches = await text('main...feature/x', 'patch')
    expect(patches.match(/^Subject: .*$/gm)).toEqual(['Subject: [PATCH 1/2] f1', 'Subject: [PATCH 2/2] f2'])
  })

  it('names the ref that it cannot compare', async () => {
    expect((await compare('main...nowhere')).status).toBe(404)
    expect((await compare('nowhere...main')).status).toBe(404)
    expect((await compare(`main...${'0123456789'.repeat(4)}`)).status).toBe(404)
    expect((await compare('main...nobody:main')).status).toBe(404)
    expect(await compare('main...bob:main')).toMatchObject({
      status: 400,
      json: { message: 'the user bob does not have a fork of the base repository' },
    })
    expect(await compare('main@{1}...main')).toMatchObject({
      status: 400,
      json: { message: 'Unsupported comparison syntax: ref with suffix' },
    })
    expect((await compare('main^9...main')).status).toBe(404)
    expect((await compare('main...feature/x?output=html')).status).toBe(422)
  })

  it('compares across a fork, also if the base has newer commits', async () => {
    expect((await bob.client.post(`${code.path}/forks`, {})).status).toBe(202)
    const file = (text: string) => ({ content: Buffer.from(text).toString('base64'), message: text })
    expect(
      (await bob.client.post(`/repos/bob/cmp-${format}/contents/bob.txt`, { ...file('by bob'), new_branch: 'bobs' }))
        .status,
    ).toBe(201)
    expect((await ann.client.post(`${code.path}/contents/later.txt`, file('later'))).status).toBe(201)
    for (const head of ['bob:bobs', `bob/cmp-${format}:bobs`]) {
      const { json } = await compare(`main...${head}`)
      expect([json.total_commits, subjects(json)]).toEqual([1, ['by bob\n']])
      expect(json.commits[0].url).toContain(`/repos/bob/cmp-${format}/git/commits/`)
      expect((await text(`main...${head}`, 'diff')).match(/^[+-]{3} .*$/gm)).toEqual(['--- /dev/null', '+++ b/bob.txt'])
      expect(await text(`main...${head}`, 'patch')).toContain('Subject: [PATCH] by bob')
    }
    const back = await bob.client.get(`/repos/bob/cmp-${format}/compare/bobs...ann:main`)
    expect([back.status, subjects(back.json)]).toEqual([200, ['later\n']])
  })

  it('hides a private head from users who may not read it', async () => {
    await server.app.database.transaction((tx) =>
      tx
        .updateTable('repo')
        .set({ is_private: 1 })
        .where('owner_id', '=', bob.user.id)
        .where('lower_name', '=', `cmp-${format}`)
        .execute(),
    )
    const missing = { status: 400, json: { message: 'the user bob does not have a fork of the base repository' } }
    expect(await compare('main...bob:bobs')).toMatchObject(missing)
    expect(await compare('main...bob:bobs', ann.client)).toMatchObject(missing)
    expect((await compare('main...bob:bobs', bob.client)).status).toBe(200)
  })

  it('commits a diff, and reports why one does not apply', async () => {
    const path = `${code.path}/diffpatch`
    const patch =
      'diff --git a/base.txt b/base.txt\n--- a/base.txt\n+++ b/base.txt\n@@ -1 +1,2 @@\n-base\n\\ No newline at end of file\n+base\n+more\ndiff --git a/made/new.txt b/made/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/made/new.txt\n@@ -0,0 +1 @@\n+made\n'
    expect((await server.anonymous.post(path, { content: patch })).status).toBe(401)
    expect((await bob.client.post(path, { content: patch })).status).toBe(403)
    const made = await ann.client.post(path, {
      content: patch,
      new_branch: 'patched',
      author: { name: 'Pat', email: 'pat@example.test' },
    })
    expect(made).toMatchObject({
      status: 201,
      json: { content: null, commit: { sha: code.oid('patched'), message: 'apply-patch\n', author: { name: 'Pat' } } },
    })
    expect(oracle(code.git.path, ['show', 'patched:made/new.txt'])).toBe('made')
    expect(oracle(code.git.path, ['show', 'patched:base.txt'])).toBe('base\nmore')
    expect(await ann.client.post(path, { content: patch, branch: 'patched' })).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining('the patch does not apply') },
    })
    expect((await ann.client.post(path, { content: 'no diff at all' })).status).toBe(422)
    expect((await ann.client.post(path, { content: patch, branch: 'nowhere' })).status).toBe(404)
    for (const name of ['../outside', '.git/hooks/x', '/etc/passwd', 'a/../../b']) {
      const outside = `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+x\n`
      expect((await ann.client.post(path, { content: outside })).status, name).toBe(422)
    }
    expect(oracle(code.git.path, ['fsck', '--strict'])).not.toMatch(/error|missing|broken/)
  })

  it('returns the properties of a file from .editorconfig', async () => {
    const path = `${code.path}/editorconfig`
    expect((await server.anonymous.get(`${path}/main.go`)).status).toBe(404)
    await ann.client.post(`${code.path}/contents/.editorconfig`, { content: Buffer.from(EDITOR).toString('base64') })
    expect((await server.anonymous.get(`${path}/main.go`)).json).toEqual({
      indent_style: 'tab',
      insert_final_newline: true,
    })
    expect((await server.anonymous.get(`${path}/src/a.ts?ref=nowhere`)).json).toEqual({
      indent_style: 'space',
      indent_size: '2',
      insert_final_newline: true,
    })
    expect((await server.anonymous.get(`${path}/a.ts?ref=v1`)).status).toBe(404)
    expect((await server.anonymous.get(`${path}/off.md`)).json).toEqual({ indent_style: 'space', indent_size: '2' })
  })
})

describe('web URLs of files', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, { redirect: 'manual', headers })
  const auth = { authorization: `Basic ${Buffer.from('ann:Corr3ct-horse!').toString('base64')}` }

  it('serve the links of responses, by branch, tag, commit and blob', async () => {
    const code = await codeRepo(server, ann, { name: 'raws', history: HISTORY })
    const { json } = await server.anonymous.get(`${code.path}/contents/base.txt`)
    expect(await (await fetch(json.download_url)).text()).toBe('base')
    for (const place of [
      'branch/feature/x',
      'tag/v1',
      `commit/${code.oid('main')}`,
      `commit/${code.oid('main').slice(0, 10)}`,
    ]) {
      for (const word of ['raw', 'media']) {
        const answer = await get(`/ann/raws/${word}/${place}/base.txt`)
        expect([answer.status, await answer.text(), answer.headers.get('content-type')], place).toEqual([
          200,
          'base',
          'text/plain; charset=utf-8',
        ])
        expect(answer.headers.get('content-security-policy')).toContain('sandbox')
        expect(
          (await get(`/ann/raws/${word}/${place}/base.txt`, { 'if-none-match': answer.headers.get('etag')! })).status,
        ).toBe(304)
      }
    }
    expect(await (await get(`/ann/raws/raw/blob/${code.oid('main:base.txt')}`)).text()).toBe('base')
    expect((await get('/ann/raws/raw/branch/main/base.txt', { range: 'bytes=1-2' })).status).toBe(206)
    const bare = await get('/ann/raws/raw/feature/x/f1.txt')
    expect([bare.status, bare.headers.get('location')]).toEqual([303, '/ann/raws/raw/branch/feature/x/f1.txt'])
    for (const missing of [
      'branch/main/none',
      'branch/none/base.txt',
      'tag/main/base.txt',
      'blob/0000',
      'nothing/at/all',
      'branch/main/../../x',
    ])
      expect((await get(`/ann/raws/raw/${missing}`)).status, missing).toBe(404)
    expect(await (await get(`/ann/raws/commit/${code.oid('main')}.diff`)).text()).toContain('+m1')
    expect(await (await get(`/ann/raws/commit/${code.oid('main')}.patch`)).text()).toContain('Subject: [PATCH] m1')
    const page = await get(`/ann/raws/commit/${code.oid('main')}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  })

  it('are 404 for users who may not read them', async () => {
    const code = await codeRepo(server, ann, { name: 'secret-raws', history: HISTORY, isPrivate: true })
    for (const path of [
      '/raw/branch/main/base.txt',
      '/media/branch/main/base.txt',
      '/raw/main/base.txt',
      `/commit/${code.oid('main')}.diff`,
    ]) {
      const hidden = await get(`/ann/secret-raws${path}`)
      const missing = await get(`/ann/never-made${path}`)
      expect([hidden.status, await hidden.text()], path).toEqual([404, await missing.text()])
      expect((await get(`/ann/secret-raws${path}`, auth)).status, path).toBeLessThan(400)
    }
  })
})
