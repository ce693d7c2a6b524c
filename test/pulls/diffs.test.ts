import { beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { numbered } from '../core/git/diff/diff-fixture.ts'
import type { Client } from '../harness/client.ts'
import { createPull, pullWorld } from './pull-world.ts'
import { pushBranches } from './pushed-history.ts'

const LFS_POINTER = (digit: string): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${digit.repeat(64)}\nsize 12345\n`

describeOnBoth('what a pull request changes', (kind) => {
  const world = pullWorld({ on: kind })
  const PULL = '/repos/ann/code/pulls/1'
  let anyone: Client
  let ids: Readonly<Record<string, string>>

  beforeAll(async () => {
    const { server, ann } = world
    anyone = server.anonymous
    await server.world.repo({ owner: ann, name: 'code' })
    ids = await pushBranches(server, ann, 'ann/code', [
      {
        branch: 'start',
        files: {
          'd/a b.txt': 'x\n',
          'gone.txt': 'gone\n',
          'large.bin': LFS_POINTER('a'),
          module: { mode: '160000', content: 'a'.repeat(40) },
          'num.txt': numbered(20),
          'old.txt': numbered(12),
          'run.sh': 'x\n',
          'ws.txt': 'a\n\tb\nc\n',
        },
      },
      { branch: 'main', from: 'start', files: { 'later.txt': 'later\n' } },
      {
        branch: 'one',
        from: 'start',
        files: {
          'bin.dat': '\0\x01bin',
          'gone.txt': undefined,
          'new #?%.txt': numbered(12),
          'old.txt': undefined,
          'ws.txt': 'a\n    b\nc  \nd\n',
        },
      },
      {
        branch: 'two',
        from: 'one',
        files: {
          'd/a b.txt': 'x\ny\n',
          'large.bin': LFS_POINTER('b'),
          module: { mode: '160000', content: 'b'.repeat(40) },
          'run.sh': { mode: '100755', content: 'x\n' },
        },
      },
      { branch: 'feat', from: 'two', files: { 'num.txt': numbered(10) } },
    ])
    await server.drain()
    await ann.client.patch('/repos/ann/code', { default_branch: 'main' })
    await createPull(ann, { head: 'feat' }, 'ann/code')
  })

  const files = async (query = '') =>
    (await anyone.get(`${PULL}/files${query}`)).json.map((file: { filename: string }) => file.filename)
  const NAMES = [
    'bin.dat',
    'd/a b.txt',
    'gone.txt',
    'large.bin',
    'module',
    'new #?%.txt',
    'num.txt',
    'run.sh',
    'ws.txt',
  ]

  it('is listed by file, with status and line counts', async () => {
    const answer = await anyone.get(`${PULL}/files`)
    const rows = answer.json.map((file: Record<string, unknown>) =>
      [file['status'], file['filename'], file['additions'], file['deletions'], file['changes']].join(' '),
    )
    expect(rows).toEqual([
      'added bin.dat 0 0 0',
      'changed d/a b.txt 1 0 1',
      'deleted gone.txt 0 1 1',
      'changed large.bin 1 1 2',
      'changed module 1 1 2',
      'renamed new #?%.txt 0 0 0',
      'changed num.txt 0 10 10',
      'unchanged run.sh 0 0 0',
      'changed ws.txt 3 2 5',
    ])
    expect(answer.json.map((file: Record<string, unknown>) => file['previous_filename'])).toEqual(
      NAMES.map((name) => (name.startsWith('new') ? 'old.txt' : undefined)),
    )
    const { json } = await anyone.get(PULL)
    expect([json.additions, json.deletions, json.changed_files]).toEqual([6, 15, 9])
  })

  it('links to files of the head commit', async () => {
    const { json } = await anyone.get(`${PULL}/files`)
    const { url } = world.server
    const path = 'new%20%23%3F%25.txt'
    expect(json[5]).toMatchObject({
      html_url: `${url}/ann/code/src/commit/${ids['feat']}/${path}`,
      contents_url: `${url}/api/v1/repos/ann/code/contents/${path}?ref=${ids['feat']}`,
      raw_url: `${url}/ann/code/raw/commit/${ids['feat']}/${path}`,
    })
    expect((await fetch(json[5].raw_url)).status).toBe(200)
    expect((await anyone.get(json[5].contents_url.replace(`${url}/api/v1`, ''))).json.path).toBe('new #?%.txt')
  })

  it('is paginated on request only', async () => {
    const all = await anyone.get(`${PULL}/files`)
    expect(pageHeaders(all.headers)).toEqual({ total: '9', page: '1', perPage: '9', pages: '1', more: 'false' })
    expect(all.headers.get('link')).toBeNull()
    const second = await anyone.get(`${PULL}/files?limit=4&page=2`)
    expect(second.json.map((file: { filename: string }) => file.filename)).toEqual(NAMES.slice(4, 8))
    expect(pageHeaders(second.headers)).toEqual({ total: '9', page: '2', perPage: '4', pages: '3', more: 'true' })
    expect(second.headers.get('link')).toContain('page=3>; rel="next"')
    for (const name of ['X-Page', 'X-PerPage', 'X-PageCount', 'X-HasMore', 'X-Total-Count', 'Link'])
      expect(second.headers.get('access-control-expose-headers')).toContain(name)
    const behind = await anyone.get(`${PULL}/files?limit=4&page=7`)
    expect([behind.json, pageHeaders(behind.headers).total]).toEqual([[], '9'])
  })

  it('begins with a file on request', async () => {
    expect(await files('?skip-to=num.txt')).toEqual(NAMES.slice(6))
    expect(await files('?skip-to=num.txt&limit=1&page=2')).toEqual(['run.sh'])
    expect(await files('?skip-to=e')).toEqual(NAMES.slice(2))
    expect(await files('?skip-to=zz')).toEqual([])
    expect((await anyone.get(`${PULL}/files?skip-to=num.txt&limit=1`)).headers.get('x-total-count')).toBe('9')
    expect((await anyone.get(`${PULL}/files?skip-to=${'x'.repeat(5000)}`)).status).toBe(422)
  })

  it.each([
    ['ignore-all', [1, 0]],
    ['ignore-change', [1, 0]],
    ['ignore-eol', [2, 1]],
    ['show-all', [3, 2]],
    ['anything', [3, 2]],
  ])('counts lines without white space on request: %s', async (mode, [additions, deletions]) => {
    const { json } = await anyone.get(`${PULL}/files?whitespace=${mode}`)
    expect(json.at(-1)).toMatchObject({ filename: 'ws.txt', additions, deletions })
  })

  it('is available as a diff and as mails, from the API and the web addresses', async () => {
    const diff = await anyone.get(`${PULL}.diff`)
    expect([diff.status, diff.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(diff.text).toContain('rename from old.txt\nrename to new #?%.txt\n')
    expect(diff.text).toContain('Binary files /dev/null and b/bin.dat differ\n')
    expect(diff.text).not.toContain('later.txt')
    expect((await anyone.get(`${PULL}.diff?binary=true`)).text).toContain('GIT binary patch\nliteral 5\n')
    const patch = await anyone.get(`${PULL}.patch`)
    expect(patch.text.match(/^From [0-9a-f]{40} /gm)).toEqual(
      ['one', 'two', 'feat'].map((name) => `From ${ids[name]} `),
    )
    const { json } = await anyone.get(PULL)
    for (const [url, text] of [
      [json.diff_url, diff.text],
      [json.patch_url, patch.text],
    ] as const) {
      const page = await fetch(url)
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
      expect(await page.text()).toBe(text)
      expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
    }
  })

  it('returns 304 to a client that has it cached', async () => {
    for (const path of [`${PULL}.diff`, `${PULL}.patch`, `${PULL}/files`]) {
      const etag = (await anyone.get(path)).headers.get('etag')!
      expect((await anyone.get(path, { 'if-none-match': etag })).status, path).toBe(304)
    }
  })

  it('lists commits, newest first', async () => {
    const { json, headers } = await anyone.get(`${PULL}/commits`)
    expect(json.map((commit: { sha: string }) => commit.sha)).toEqual(['feat', 'two', 'one'].map((name) => ids[name]))
    expect(json[0]).toMatchObject({
      files: [{ filename: 'num.txt', status: 'modified' }],
      stats: { total: 10, additions: 0, deletions: 10 },
      commit: { verification: { verified: false } },
    })
    expect(json[2].stats).toEqual({ total: 6, additions: 3, deletions: 3 })
    expect(json[2].files.map((file: Record<string, string>) => `${file['status']} ${file['filename']}`)).toEqual([
      'added bin.dat',
      'removed gone.txt',
      'added new #?%.txt',
      'removed old.txt',
      'modified ws.txt',
    ])
    expect(pageHeaders(headers)).toMatchObject({ total: '3', page: '1', more: 'false' })
    const second = await anyone.get(`${PULL}/commits?limit=1&page=2&files=false&verification=false`)
    expect(second.json).toHaveLength(1)
    expect(second.json[0]).toMatchObject({ sha: ids['two'], files: null, commit: { verification: null } })
    expect(second.json[0].stats.total).toBe(5)
    expect(pageHeaders(second.headers)).toMatchObject({ page: '2', perPage: '1', pages: '3', more: 'true' })
    expect((await anyone.get(`${PULL}/commits?page=5`)).json).toEqual([])
  })

  it('returns 404 for other numbers and suffixes', async () => {
    for (const path of ['9.diff', '9.patch', '9/files', '9/commits', '1.txt', 'x/files', '0/files']) {
      const answer = await anyone.get(`/repos/ann/code/pulls/${path}`)
      expect([answer.status, answer.text.trim()], path).toEqual([404, '{}'])
    }
    for (const path of ['9.diff', '1.txt', 'x.diff', '0.diff'])
      expect((await anyone.get(`//ann/code/pulls/${path}`)).status, path).toBe(404)
    const issue = await world.ann.client.post('/repos/ann/code/issues', { title: 'no pull request' })
    for (const path of [`${issue.json.number}.diff`, `${issue.json.number}/files`])
      expect((await anyone.get(`/repos/ann/code/pulls/${path}`)).status, path).toBe(404)
    expect((await anyone.get(`//ann/code/pulls/${issue.json.number}.diff`)).status).toBe(404)
  })

  it('is hidden with the repository and its units', async () => {
    const { ann, eve } = world
    await ann.client.patch('/repos/ann/code', { private: true })
    for (const path of ['.diff', '/files', '/commits'])
      expect((await eve.client.get(`${PULL}${path}`)).status).toBe(404)
    expect((await eve.client.get('//ann/code/pulls/1.diff')).status).toBe(404)
    await ann.client.patch('/repos/ann/code', { private: false, has_pull_requests: false })
    for (const path of ['.diff', '/files', '/commits'])
      expect((await ann.client.get(`${PULL}${path}`)).status).toBe(404)
    expect((await anyone.get('//ann/code/pulls/1.diff')).status).toBe(404)
    await ann.client.patch('/repos/ann/code', { has_pull_requests: true })
    expect((await anyone.get('//ann/code/pulls/1.diff')).status).toBe(200)
  })
})

function pageHeaders(headers: Headers) {
  const get = (name: string) => headers.get(name)
  return {
    total: get('x-total-count'),
    page: get('x-page'),
    perPage: get('x-perpage'),
    pages: get('x-pagecount'),
    more: get('x-hasmore'),
  }
}
