import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { type Person, viewerOf } from '../../harness/world.ts'
import type { Client } from '../../harness/client.ts'
import { codeRepo, type CodeRepo, oracle } from '../code-world.ts'

/** A commit with these files on main, after `from` if given; undefined deletes a file. */
const commit = (files: Readonly<Record<string, string | Buffer | undefined>>, from = ''): Buffer =>
  Buffer.concat([
    Buffer.from(
      `commit refs/heads/main\ncommitter T <t@example.test> 1700000000 +0000\ndata 2\nc\n${from === '' ? '' : `from ${from}\n`}`,
    ),
    ...Object.entries(files).flatMap(([path, content]) => {
      if (content === undefined) return [Buffer.from(`D ${path}\n`)]
      const bytes = Buffer.from(content as string)
      return [Buffer.from(`M 100644 inline ${path}\ndata ${bytes.length}\n`), bytes, Buffer.from('\n')]
    }),
    Buffer.from('\n'),
  ])

describeOnBoth('code search', (kind) => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer({
      on: kind,
      settings: { 'search.code_enabled': 'true' },
    })
    ann = await server.world.user('ann')
    await (await server.world.admin()).client.post('/admin/cron/check_code_index')
    await index()
  })
  afterAll(() => server.close())

  /** A push is indexed at once: no job is due later. */
  const index = (): Promise<void> => server.drain()

  const push = async ({ git, repo }: CodeRepo, files: Parameters<typeof commit>[0], force = false): Promise<void> => {
    const from = force ? '' : 'refs/heads/main^0'
    oracle(git.path, ['fast-import', '--quiet', '--force'], commit(files, from))
    await server.app.pushes.reconcile(repo.id)
    await index()
  }

  const make = async (name: string, files: Parameters<typeof commit>[0], isPrivate = false): Promise<CodeRepo> => {
    const made = await codeRepo(server, ann, { name, isPrivate })
    await push(made, files, true)
    return made
  }

  const codeRepoAt = async (name: string): Promise<CodeRepo> => {
    const repo = (await server.app.repos.getInView(viewerOf(ann.user), 'ann', name)).repo
    return { repo, git: server.app.git.open(repo), path: `/repos/ann/${name}`, oid: () => '' }
  }

  const search = async (client: Client, query: string, at = '/repos/search/code') => {
    const answer = await client.get(`${at}?${query}`)
    expect([answer.status, answer.json]).toEqual([200, expect.anything()])
    return answer
  }
  const paths = async (query: string, at?: string, client: Client = server.anonymous): Promise<string[]> =>
    (await search(client, query, at)).json.items.map(
      (item: { repository: { full_name: string }; path: string }) => `${item.repository.full_name}:${item.path}`,
    )

  it('finds lines with their matches', async () => {
    await make('lines', { 'src/main.c': 'int main() {\n  return Needle + needle; // é needle\n}\n', 'a.txt': 'hay\n' })
    const { json } = await search(server.anonymous, 'q=nEEdle', '/repos/ann/lines/search/code')
    expect(json).toMatchObject({
      total_count: 1,
      incomplete: false,
      items: [
        {
          repository: { full_name: 'ann/lines', owner: 'ann', name: 'lines' },
          branch: 'main',
          path: 'src/main.c',
          language: 'C',
          html_url: `${server.url}/ann/lines/src/branch/main/src/main.c`,
          fragments: [
            {
              line: 2,
              column: 1,
              text: '  return Needle + needle; // é needle',
              matches: [
                { start: 9, end: 15 },
                { start: 18, end: 24 },
                { start: 31, end: 37 },
              ],
            },
          ],
        },
      ],
    })
  })

  it('accepts words, phrases, whole words, case and regular expressions', async () => {
    const { path } = await make('modes', {
      'one.txt': 'alpha beta\ngamma\n',
      'two.txt': 'Alphabet gamma\n',
      'three.txt': 'the alpha-beta\n',
    })
    const found = async (query: string): Promise<string[]> =>
      (await paths(query, `${path}/search/code`)).map((name) => name.slice('ann/modes:'.length))
    expect(await found('q=alpha')).toEqual(['one.txt', 'three.txt', 'two.txt'])
    expect(await found('q=gamma+alpha')).toEqual(['one.txt', 'two.txt'])
    expect(await found(`q=${encodeURIComponent('"alpha beta"')}`)).toEqual(['one.txt'])
    expect(await found('q=alpha&mode=word')).toEqual(['one.txt', 'three.txt'])
    expect(await found('q=Alpha&case_sensitive=true')).toEqual(['two.txt'])
    expect(await found(`q=${encodeURIComponent('^alpha.beta$')}&mode=regexp`)).toEqual(['one.txt'])
    expect(await found(`q=${encodeURIComponent('(?:alp|gam)[hm]a')}&mode=regexp`)).toEqual([
      'one.txt',
      'three.txt',
      'two.txt',
    ])
    expect(await found(`q=${encodeURIComponent('GAMMA|xyz')}&mode=regexp&case_sensitive=true`)).toEqual([])
    expect(await found('q=-b')).toEqual(['three.txt'])
  })

  it('filters by path, language and repository, and pages', async () => {
    await make('filters', {
      'src/app.py': 'zebra\n',
      'src/app.go': 'package zebra\n',
      'test/src/app.py': 'zebra\n',
    })
    await make('filters2', { a_c: 'zebra\n', abc: 'zebra\n' })
    const q = (text: string): string => `q=${encodeURIComponent(text)}`
    expect(await paths(q('zebra path:/src lang:python'))).toEqual(['ann/filters:src/app.py'])
    expect(await paths(`${q('zebra')}&path=src/&lang=Python&repo=Ann/Filters`)).toEqual([
      'ann/filters:src/app.py',
      'ann/filters:test/src/app.py',
    ])
    expect(await paths(q('zebra repo:filters2 path:a_c'))).toEqual(['ann/filters2:a_c'])
    expect(await paths(q('zebra repo:ann/filters repo:ann/filters2 path:APP.PY'))).toHaveLength(2)
    const page = await search(server.anonymous, `${q('zebra')}&limit=2&page=2`)
    expect(page.headers.get('x-total-count')).toBe('5')
    expect(page.headers.get('link')).toContain('page=3')
    expect(page.json.total_count).toBe(5)
    expect(page.json.items.map((item: { path: string }) => item.path)).toEqual(['test/src/app.py', 'a_c'])
  })

  it('names what is wrong in a query', async () => {
    const refused = async (query: string) => {
      const { status, json } = await server.anonymous.get(`/repos/search/code?${query}`)
      return [status, json.message]
    }
    expect(await refused('')).toEqual([422, 'q: must have a text to search for'])
    expect(await refused('q=path:x')).toEqual([422, 'q: must have a text to search for'])
    expect(await refused('q=x&mode=magic')).toEqual([422, 'mode: must be substring, word or regexp'])
    expect(await refused('q=x+branch:dev')).toEqual([
      422,
      'q: branch: is not supported, because only default branches are indexed',
    ])
    expect(await refused('q=a+b+c+d+e+f+g+h+i+j+k')).toEqual([422, 'q: has more than 10 parts'])
    for (const hostile of ['(a', String.raw`(?=a)`, '((a{0,100}){0,100}){0,100}', String.raw`(a)\1`])
      expect(await refused(`q=${encodeURIComponent(hostile)}&mode=regexp`)).toEqual([
        422,
        'q: is not an expression in the syntax of RE2, or too large',
      ])
  })

  it('follows changes, renames, deletions, forced pushes and another default branch', async () => {
    const made = await make('moving', { 'one.txt': 'giraffe\n', 'two.txt': 'giraffe two\n' })
    await push(made, { 'one.txt': 'elephant\n', 'two.txt': undefined, 'renamed.txt': 'giraffe two\n' })
    expect(await paths('q=giraffe')).toEqual(['ann/moving:renamed.txt'])
    expect(await paths('q=elephant')).toEqual(['ann/moving:one.txt'])
    await push(made, { 'new.txt': 'giraffe again\n' }, true)
    expect(await paths('q=giraffe')).toEqual(['ann/moving:new.txt'])
    expect(await paths('q=elephant')).toEqual([])
    oracle(made.git.path, ['branch', 'dev', 'main'])
    oracle(
      made.git.path,
      ['fast-import', '--quiet'],
      commit({ 'dev.txt': 'giraffe\n' }, 'refs/heads/dev^0').toString().replace('refs/heads/main', 'refs/heads/dev'),
    )
    await server.app.pushes.reconcile(made.repo.id)
    await ann.client.patch('/repos/ann/moving', { default_branch: 'dev' })
    await index()
    expect(await paths('q=giraffe')).toEqual(['ann/moving:dev.txt', 'ann/moving:new.txt'])
  })

  it('shares texts with forks, and deletes them with the last repository', async () => {
    await make('origin', { 'shared.txt': 'platypus\n' })
    const bob = await server.world.user('bob')
    await bob.client.post('/repos/ann/origin/forks', {})
    await index()
    expect(await paths('q=platypus')).toEqual(['ann/origin:shared.txt', 'bob/origin:shared.txt'])
    await ann.client.delete('/repos/ann/origin')
    expect(await paths('q=platypus')).toEqual(['bob/origin:shared.txt'])
    await index()
    expect(await paths('q=platypus')).toEqual(['bob/origin:shared.txt'])
    await bob.client.delete('/repos/bob/origin')
    await index()
    expect(await paths('q=platypus')).toEqual([])
  })

  it('leaves out binary, large, generated and vendored files, and reads texts that are not UTF-8', async () => {
    await make('odd', {
      'binary.dat': Buffer.from('walrus\0'),
      'large.txt': `${'x'.repeat(10 * 1024 * 1024)} walrus`,
      'vendor/jquery.js': 'walrus\n',
      'gen.txt': 'walrus\n',
      '.gitattributes': 'gen.txt linguist-generated\n',
      'latin1.txt': Buffer.from('walrus caf\xe9\n', 'latin1'),
      'docs/guide.md': 'walrus\n',
      'minified.js': `${'a;'.repeat(50_000)}walrus${'b;'.repeat(50_000)}`,
    })
    expect(await paths('q=walrus')).toEqual(['ann/odd:docs/guide.md', 'ann/odd:latin1.txt', 'ann/odd:minified.js'])
    const { json } = await search(server.anonymous, `q=${encodeURIComponent('CAFé path:latin1')}`)
    expect(json.items[0].fragments[0].text).toBe('walrus café')
    const cut = (await search(server.anonymous, 'q=walrus+path:minified')).json.items[0].fragments[0]
    expect([cut.text.length, cut.column, cut.text.slice(cut.matches[0].start, cut.matches[0].end)]).toEqual([
      300,
      100_000 - 60 + 1,
      'walrus',
    ])
    await push(await codeRepoAt('odd'), { '.gitattributes': 'vendor/* -linguist-vendored\n' })
    expect(await paths('q=walrus')).toEqual([
      'ann/odd:docs/guide.md',
      'ann/odd:gen.txt',
      'ann/odd:latin1.txt',
      'ann/odd:minified.js',
      'ann/odd:vendor/jquery.js',
    ])
  })

  it('shows code to those who may read it, at the time of the search', async () => {
    const secret = await make('secret', { 'key.txt': 'narwhal\n' }, true)
    await make('open', { 'key.txt': 'narwhal\n' })
    const carl = await server.world.user('carl')
    const mine = ['ann/open:key.txt', 'ann/secret:key.txt']
    expect(await paths('q=narwhal')).toEqual(['ann/open:key.txt'])
    expect(await paths('q=narwhal', undefined, carl.client)).toEqual(['ann/open:key.txt'])
    expect(await paths('q=narwhal', undefined, ann.client)).toEqual(mine)
    expect((await carl.client.get('/repos/ann/secret/search/code?q=narwhal')).status).toBe(404)
    expect(await paths('q=narwhal', '/repos/ann/secret/search/code', ann.client)).toEqual(['ann/secret:key.txt'])
    const publicOnly = await ann.withToken('public-only', 'read:repository')
    expect(await paths('q=narwhal', undefined, publicOnly)).toEqual(['ann/open:key.txt'])
    expect((await publicOnly.get('/repos/ann/secret/search/code?q=narwhal')).status).toBe(403)
    expect((await (await ann.withToken('read:user')).get('/repos/search/code?q=narwhal')).status).toBe(403)
    await ann.client.put('/repos/ann/secret/collaborators/carl', { permission: 'read' })
    expect(await paths('q=narwhal', undefined, carl.client)).toEqual(mine)
    await ann.client.delete('/repos/ann/secret/collaborators/carl')
    expect(await paths('q=narwhal', undefined, carl.client)).toEqual(['ann/open:key.txt'])
    await ann.client.patch(`/repos/ann/open`, { private: true })
    expect(await paths('q=narwhal', undefined, carl.client)).toEqual([])
    expect(secret.repo.isPrivate).toBe(true)
  })

  it('shows code of an organization to teams that may read code', async () => {
    const org = await server.world.org('guild')
    const [dora, emil] = [await server.world.user('dora'), await server.world.user('emil')]
    const repo = await server.world.repo({
      owner: org.org,
      by: org.owner,
      name: 'plans',
      isPrivate: true,
      defaultBranch: 'main',
    })
    const git = server.app.git.open(repo)
    await push({ git, repo, path: '', oid: () => '' }, { 'plan.txt': 'capybara\n' }, true)
    await org.team('readers', { members: [dora], repos: [repo], units: ['repo.code'] })
    await org.team('triagers', { members: [emil], repos: [repo], units: ['repo.issues'] })
    expect(await paths('q=capybara', undefined, dora.client)).toEqual(['guild/plans:plan.txt'])
    expect(await paths('q=capybara', undefined, emil.client)).toEqual([])
    expect(await paths('q=capybara')).toEqual([])
  })

  it('indexes two repositories at once at most, while requests are answered', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`f${at}.txt`, `marmot ${at}\n`.repeat(200)]),
    )
    for (let at = 0; at < 5; at++) {
      const { git, repo } = await codeRepo(server, ann, { name: `herd${at}` })
      oracle(git.path, ['fast-import', '--quiet'], commit({ ...files, own: `${at}\n` }))
      await server.app.pushes.reconcile(repo.id)
    }
    let isDone = false
    const indexing = index().then(() => (isDone = true))
    const running: number[] = []
    while (!isDone) {
      const jobs = server.app.database.read.selectFrom('job').where('kind', '=', 'repo.index_code')
      running.push((await jobs.select('id').where('state', '=', 'running').execute()).length)
      expect((await server.anonymous.get('/repos/ann/herd0')).status).toBe(200)
    }
    await indexing
    expect(Math.max(...running)).toBe(2)
    expect((await search(server.anonymous, 'q=marmot+path:f1.txt')).json.total_count).toBe(5)
  })

  it('says when a limit ends a search', async () => {
    const files = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`f${at}.txt`, `ocelot ${at}\n`]))
    await make('many', files)
    const { json } = await search(server.anonymous, 'q=ocelot&limit=1')
    expect([json.incomplete, json.total_count > 1, json.total_count < 100]).toEqual([true, true, true])
    const seen = new Set<string>()
    for (let page = 1, isMore = true; isMore; page++) {
      const answer = await search(server.anonymous, `q=ocelot&limit=50&page=${page}`)
      for (const { path, fragments } of answer.json.items) {
        expect(fragments[0].text).toMatch(/^ocelot \d+$/)
        seen.add(path)
      }
      isMore = answer.headers.get('link')?.includes('rel="next"') ?? false
      expect([page, answer.json.incomplete, answer.json.items.length]).toEqual([page, true, 50])
    }
    expect(seen.size).toBe(500)
    const all = await search(server.anonymous, `q=${encodeURIComponent('"ocelot 50"')}`)
    expect([all.json.incomplete, all.json.total_count]).toEqual([false, 2])
  })

  it('reads more files until one matches', async () => {
    const others = Object.fromEntries(Array.from({ length: 520 }, (_, at) => [`f${at}.txt`, `wom omb mba bat ${at}\n`]))
    await make('unlucky', { ...others, 'z.txt': 'a wombat\n' })
    const { json } = await search(server.anonymous, 'q=wombat')
    expect([json.incomplete, json.total_count, json.items[0]?.path]).toEqual([false, 1, 'z.txt'])
  })
})
