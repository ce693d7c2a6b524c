import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { queriesOf } from '../../harness/queries.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { git, tempDir, tryGit, type GitResult } from '../../core/git/wire/client.ts'

const dir = tempDir()
let server: TestServer
let ann: Person
let bob: Person
let cat: Person
let name = ''
let work = ''
let count = 0

beforeAll(async () => {
  server = await startServer()
  ;[ann, bob, cat] = (await Promise.all(['ann', 'bob', 'cat'].map((login) => server.world.user(login)))) as [
    Person,
    Person,
    Person,
  ]
})
afterAll(async () => {
  await server.close()
  dir.remove()
})

/** A repository of ann with write access for bob, with `main` and a clone of it. */
beforeEach(async () => {
  name = `r${++count}`
  await server.world.repo({ owner: ann, name, defaultBranch: 'main' })
  await ann.client.put(`/repos/ann/${name}/collaborators/bob`, { permission: 'write' })
  await ann.client.put(`/repos/ann/${name}/collaborators/cat`, { permission: 'read' })
  work = join(dir.path, name)
  await git(dir.path, ['init', '-q', '-b', 'main', work])
  await commit('first')
  expect(await push(ann, 'main')).toMatchObject({ code: 0 })
})

const remote = (person: Person): string =>
  `http://${person.name}:${encodeURIComponent(PASSWORD)}@${server.url.slice('http://'.length)}/ann/${name}.git`
const push = (person: Person, ...refs: string[]): Promise<GitResult> =>
  tryGit(work, [
    'push',
    '-q',
    ...(refs[0] === '-f' ? ['-f'] : []),
    remote(person),
    ...refs.filter((ref) => ref !== '-f'),
  ])
const protect = async (body: object) => {
  const answer = await ann.client.post(`/repos/ann/${name}/branch_protections`, body)
  expect(answer.status, answer.text).toBe(201)
}
const tip = async (branch: string): Promise<string | undefined> =>
  (await ann.client.get(`/repos/ann/${name}/branches/${branch}`)).json.commit?.id
const head = (revision = 'HEAD'): Promise<string> => git(work, ['rev-parse', revision])

async function commit(file: string, text = `${++count}\n`): Promise<string> {
  mkdirSync(dirname(join(work, file)), { recursive: true })
  writeFileSync(join(work, file), text)
  await git(work, ['add', '.'])
  await git(work, ['commit', '-qm', file])
  return head()
}

async function refuses(result: Promise<GitResult>, text: string): Promise<void> {
  const { code, stderr } = await result
  const lines = stderr.split('\n').map((line) => line.trimEnd())
  const at = lines.findIndex((line) => line.startsWith(`remote: error: ${text}`))
  expect([lines[at - 1], lines[at + 1]]).toEqual(['remote: error:', 'remote: error:'])
  expect(stderr).toContain('pre-receive hook declined')
  expect(code).not.toBe(0)
}

describe('pushes to protected branches', () => {
  it('are refused to all pushers unless the rule allows them', async () => {
    await protect({ rule_name: 'main' })
    const before = await tip('main')
    await commit('second')
    for (const person of [ann, bob])
      await refuses(push(person, 'HEAD:main'), 'Not allowed to push to protected branch main')
    await refuses(push(bob, 'HEAD:main', 'HEAD:free'), 'Not allowed to push to protected branch main')
    await refuses(push(bob, 'HEAD:MAIN'), 'Not allowed to push to protected branch MAIN')
    expect(await tip('main')).toBe(before)
    expect(await tip('free')).toBeUndefined()
    expect((await push(cat, 'HEAD:main')).stderr).toContain('User permission denied for writing.')
    expect(await push(bob, 'HEAD:free')).toMatchObject({ code: 0 })
  })

  it('are accepted from users on the list, by name and by team', async () => {
    await protect({
      rule_name: 'rel/*',
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ['bob'],
    })
    await refuses(push(ann, 'main:rel/1'), 'Not allowed to push to protected branch rel/1')
    expect(await push(bob, 'main:rel/1')).toMatchObject({ code: 0 })
    await commit('more')
    await refuses(push(ann, 'HEAD:rel/1'), 'Not allowed to push to protected branch rel/1')
    expect(await push(bob, 'HEAD:rel/1')).toMatchObject({ code: 0 })

    const org = await server.world.org(`acme${count}`, { owner: ann })
    const repo = await server.world.repo({ owner: org.org, by: ann, name: 'r', autoInit: true, defaultBranch: 'main' })
    await org.team('devs', { permission: 'write', units: ['repo.code'], members: [bob], repos: [repo] })
    await org.team('others', { permission: 'write', units: ['repo.code'], members: [cat], repos: [repo] })
    await ann.client.post(`/repos/${org.name}/r/branch_protections`, {
      rule_name: 'x',
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_teams: ['devs'],
    })
    const to = (person: Person): Promise<GitResult> =>
      tryGit(work, ['push', '-q', remote(person).replace(`/ann/${name}.git`, `/${org.name}/r.git`), 'HEAD:x'])
    for (const person of [cat, ann]) await refuses(to(person), 'Not allowed to push to protected branch x')
    expect(await to(bob)).toMatchObject({ code: 0 })
  })

  it('never delete the branch', async () => {
    await push(bob, 'main:rel/1', 'main:free')
    await protect({ rule_name: 'rel/*', enable_push: true, enable_force_push: true })
    await refuses(push(ann, ':rel/1'), 'branch rel/1 is protected from deletion')
    await refuses(push(ann, ':main'), 'branch main is the default branch and cannot be deleted')
    expect(await push(bob, ':free')).toMatchObject({ code: 0 })
    expect(await tip('rel/1')).toBeDefined()
  })

  it('can lose commits only if the rule and its list allow it', async () => {
    await push(bob, 'main:rel')
    await protect({ rule_name: 'rel', enable_push: true })
    await commit('one')
    expect(await push(bob, 'HEAD:rel')).toMatchObject({ code: 0 })
    await git(work, ['commit', '-q', '--amend', '-m', 'other'])
    await refuses(push(bob, '-f', 'HEAD:rel'), 'branch rel is protected from force push')
    const rule = `/repos/ann/${name}/branch_protections/rel`
    await ann.client.patch(rule, {
      enable_push: true,
      enable_force_push: true,
      enable_force_push_allowlist: true,
      force_push_allowlist_usernames: ['ann'],
    })
    await refuses(push(bob, '-f', 'HEAD:rel'), 'Not allowed to force-push to protected branch rel')
    expect(await push(ann, '-f', 'HEAD:rel')).toMatchObject({ code: 0 })
    expect(await tip('rel')).toBe(await head())
  })

  it('refuse changes of protected files by any pusher', async () => {
    await push(bob, 'main:rel')
    await protect({ rule_name: 'rel', enable_push: true, protected_file_patterns: '*.lock;secret/**' })
    await commit('src/a.ts')
    expect(await push(bob, 'HEAD:rel')).toMatchObject({ code: 0 })
    await commit('Secret/Deep/key.txt')
    await commit('b.txt')
    for (const person of [ann, bob])
      await refuses(push(person, 'HEAD:rel'), 'branch rel is protected from changing file Secret/Deep/key.txt')
    await git(work, ['rm', '-q', '-r', 'Secret'])
    await git(work, ['commit', '-qm', 'undo'])
    expect(await push(bob, 'HEAD:rel')).toMatchObject({ code: 0 })
  })

  it('check every new commit of a new branch', async () => {
    await protect({ rule_name: 'new/*', enable_push: true, protected_file_patterns: '*.lock' })
    expect(await push(bob, 'main:new/empty')).toMatchObject({ code: 0 })
    await git(work, ['checkout', '-q', '-b', 'side'])
    await commit('a.lock')
    await git(work, ['checkout', '-q', 'main'])
    await commit('c.txt')
    await git(work, ['merge', '-q', '--no-edit', 'side'])
    await refuses(push(bob, 'HEAD:new/1'), 'branch new/1 is protected from changing file a.lock')
    await git(work, ['checkout', '-q', '--orphan', 'root'])
    await git(work, ['commit', '-qm', 'root'])
    await refuses(push(bob, 'HEAD:new/2'), 'branch new/2 is protected from changing file a.lock')
  })

  it('are accepted from all writers for unprotected files only', async () => {
    await push(bob, 'main:rel')
    await protect({ rule_name: 'rel', unprotected_file_patterns: 'docs/**;*.md' })
    await commit('docs/deep/a.txt')
    await commit('readme.md')
    expect(await push(bob, 'HEAD:rel')).toMatchObject({ code: 0 })
    await refuses(push(bob, '-f', 'HEAD~2:refs/heads/rel'), 'branch rel is protected from force push')
    expect(await tip('rel')).toBe(await head())
    await commit('src/a.ts')
    await refuses(push(bob, 'HEAD:rel'), 'Not allowed to push to protected branch rel')
    await git(work, ['reset', '-q', '--hard', 'HEAD~1'])
    await git(work, ['commit', '-q', '--allow-empty', '-m', 'nothing'])
    await refuses(push(bob, 'HEAD:rel'), 'Not allowed to push to protected branch rel')
  })

  it('require valid signatures on every new commit', async () => {
    await push(bob, 'main:rel')
    await protect({ rule_name: 'rel', enable_push: true, require_signed_commits: true })
    const unsigned = await commit('plain')
    await refuses(push(bob, 'HEAD:rel'), `branch rel is protected from unverified commit ${unsigned}`)
    // Signed, but with a key that is not registered on the server.
    const raw = await git(work, ['cat-file', 'commit', 'HEAD'])
    const forged = raw.replace(
      '\n\n',
      '\ngpgsig -----BEGIN SSH SIGNATURE-----\n AAAA\n -----END SSH SIGNATURE-----\n\n',
    )
    const oid = await git(work, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input: `${forged}\n` })
    await refuses(push(bob, `${oid}:refs/heads/rel`), `branch rel is protected from unverified commit ${oid}`)
    expect(await push(bob, 'HEAD:free')).toMatchObject({ code: 0 })
    await refuses(push(bob, 'HEAD:rel'), `branch rel is protected from unverified commit ${unsigned}`)
    const file = { branch: 'rel', content: 'bmV3', message: 'x' }
    expect((await bob.client.post(`/repos/ann/${name}/contents/x.txt`, file)).json.message).toMatch(
      /^branch rel is protected from unverified commit [0-9a-f]{40}$/,
    )
  })

  it('are checked with the first matching rule at the time when the objects have arrived', async () => {
    await protect({ rule_name: 'rel/*', enable_push: true })
    await protect({ rule_name: 'rel/1', priority: 9 })
    expect(await push(bob, 'main:rel/1')).toMatchObject({ code: 0 })
    await ann.client.delete(`/repos/ann/${name}/branch_protections/rel%2F*`)
    await commit('next')
    await refuses(push(bob, 'HEAD:rel/1'), 'Not allowed to push to protected branch rel/1')
    // The rule is created after the client has read the refs and before it sends its pack.
    const late = commitAndPushBetween(async () => protect({ rule_name: 'late' }))
    await refuses(late, 'Not allowed to push to protected branch late')
  })

  it('that race update a branch once', async () => {
    await protect({ rule_name: 'main', enable_push: true })
    const base = await head()
    const tips: string[] = []
    for (const at of [1, 2, 3]) {
      await git(work, ['checkout', '-q', '--detach', base])
      tips.push(await commit(`race${at}`))
    }
    const results = await Promise.all(tips.map((oid) => push(bob, `${oid}:refs/heads/main`)))
    expect(results.filter((result) => result.code === 0)).toHaveLength(1)
    const winner = tips[results.findIndex((result) => result.code === 0)]
    expect(await tip('main')).toBe(winner)
    const rows = await server.app.database.read
      .selectFrom('push')
      .innerJoin('repo', 'repo.id', 'push.repo_id')
      .select('push.new_oid')
      .where('repo.name', '=', name)
      .where('push.ref', '=', 'refs/heads/main')
      .execute()
    expect(rows.map((row) => row.new_oid)).toEqual([base, winner])
  })

  it('load their rules with at most two queries', async () => {
    await protect({ rule_name: 'main', enable_push: true })
    await commit('counted')
    await git(work, ['tag', 'v1'])
    const queries = await queriesOf(server.app.database, async () =>
      expect(await push(bob, 'HEAD:main', 'HEAD:other', 'v1')).toMatchObject({ code: 0 }),
    )
    expect(queries.filter(({ sql }) => /branch_rule|tag_rule/.test(sql))).toHaveLength(2)
  })
})

/** Pushes a new branch `late`; `between` runs after the client has read the refs and before it sends its pack. */
async function commitAndPushBetween(between: () => Promise<void>): Promise<GitResult> {
  await git(work, ['checkout', '-q', '--detach'])
  await commit('late')
  const { createServer } = await import('node:http')
  const proxy = createServer((request, response) => {
    const forward = async (): Promise<void> => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      if (request.method === 'POST') await between()
      const headers = Object.fromEntries(
        ['authorization', 'content-type', 'content-encoding', 'git-protocol'].flatMap((key) =>
          request.headers[key] ? [[key, String(request.headers[key])]] : [],
        ),
      )
      const answer = await fetch(server.url + request.url, {
        method: request.method!,
        headers,
        body: request.method === 'POST' ? Buffer.concat(chunks) : null,
      })
      response.writeHead(
        answer.status,
        Object.fromEntries([...answer.headers].filter(([key]) => key === 'content-type' || key === 'www-authenticate')),
      )
      response.end(Buffer.from(await answer.arrayBuffer()))
    }
    void forward()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address() as { port: number }
  try {
    return await tryGit(work, [
      'push',
      '-q',
      `http://bob:${encodeURIComponent(PASSWORD)}@127.0.0.1:${address.port}/ann/${name}.git`,
      'HEAD:refs/heads/late',
    ])
  } finally {
    proxy.close()
  }
}

describe('pushes of protected tags', () => {
  it('create, update and delete them only for listed users', async () => {
    await ann.client.post(`/repos/ann/${name}/tag_protections`, { name_pattern: 'v*', whitelist_usernames: ['ann'] })
    await git(work, ['tag', 'v1'])
    await git(work, ['tag', 'free'])
    await refuses(push(bob, 'v1'), 'Tag v1 is protected')
    expect(await push(bob, 'free')).toMatchObject({ code: 0 })
    expect(await push(ann, 'v1')).toMatchObject({ code: 0 })
    await refuses(push(bob, ':refs/tags/v1'), 'Tag v1 is protected')
    await commit('moved')
    await git(work, ['tag', '-f', 'v1'])
    await refuses(push(bob, '-f', 'v1'), 'Tag v1 is protected')
    expect(await push(ann, '-f', 'v1')).toMatchObject({ code: 0 })
    expect(await push(ann, ':refs/tags/v1')).toMatchObject({ code: 0 })
  })
})
