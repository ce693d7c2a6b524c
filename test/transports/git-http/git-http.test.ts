import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { expectEvents, rows } from '../../harness/expect.ts'
import { startServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { alice, as, bob, commit, dir, next, repo, repoRow, server, useWorld, work } from './fixture.ts'
import { git, tryGit } from '../../core/git/wire/client.ts'

describe('git over HTTP', () => {
  useWorld()

  it('accepts a first push, makes its branch the default one and serves it', async () => {
    const target = await repo(alice)
    const path = await work('first')
    const tip = await git(path, ['rev-parse', 'HEAD'])
    await git(path, ['push', '-q', as(alice, alice, target.name), 'main:trunk', 'main:side'])
    expect(await repoRow(target.id)).toMatchObject({ is_empty: 0, default_branch: 'trunk', branches_count: 2 })
    expect((await repoRow(target.id)).pushed_at).toBeGreaterThan(1)
    const clone = join(dir.path, `clone-${next()}`)
    await git(dir.path, ['clone', '-q', as(undefined, alice, target.name), clone])
    expect(await git(clone, ['rev-parse', 'HEAD'])).toBe(tip)
    expect(await git(clone, ['symbolic-ref', 'HEAD'])).toBe('refs/heads/trunk')
    await expectEvents(server, { repoId: target.id }, [['repo.pushed']])
    await git(target.path, ['fsck', '--strict'])
  })

  it('updates branch rows with refs and does not delete the default branch', async () => {
    const target = await repo(alice)
    const path = await work('rows')
    const url = as(alice, alice, target.name)
    await git(path, ['push', '-q', url, 'main', 'main:a', 'main:b'])
    await commit(path, 'more')
    await git(path, ['push', '-q', url, 'main', ':a'])
    const branches = await rows(server, 'branch', { repo_id: target.id })
    const refs = await git(target.path, ['for-each-ref', '--format=%(objectname) %(refname)'])
    expect(branches.map(({ oid, name }) => `${oid} refs/heads/${name}`).toSorted()).toEqual(refs.split('\n').toSorted())
    expect((await repoRow(target.id)).branches_count).toBe(2)
    const { code, stderr } = await tryGit(path, ['push', url, ':main'])
    expect(code).not.toBe(0)
    const said = stderr.split('\n').filter((line) => line.startsWith('remote:'))
    expect(said.map((line) => line.trimEnd())).toEqual([
      'remote: error:',
      'remote: error: branch main is the default branch and cannot be deleted',
      'remote: error:',
    ])
    expect(stderr).toContain('pre-receive hook declined')
  })

  it('serves fetches of readers and refuses their pushes with a message, leaving nothing', async () => {
    const target = await repo(alice)
    const path = await work('reader')
    const { code, stderr } = await tryGit(path, ['push', as(bob, alice, target.name), 'main'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('User permission denied for writing.')
    expect(await git(target.path, ['count-objects'])).toMatch(/^0 objects/)
    expect((await repoRow(target.id)).is_empty).toBe(1)
    expect(await rows(server, 'push', { repo_id: target.id })).toEqual([])
  })

  it('shows the hint for a pull request', async () => {
    const target = await repo(alice)
    const path = await work('hint')
    const url = as(alice, alice, target.name)
    await git(path, ['push', '-q', url, 'main'])
    const { stderr } = await tryGit(path, ['push', url, 'main:topic/x'])
    expect(stderr).toContain("remote: Create a new pull request for 'topic/x':")
    expect(stderr).toContain(`/alice/${target.name}/pulls/new/topic/x`)
    expect(stderr).toContain('remote: Processed 1 reference in total')
  })

  it('shows the hint for the first 20 branches of a push', async () => {
    const target = await repo(alice)
    const path = await work('hints')
    const url = as(alice, alice, target.name)
    await git(path, ['push', '-q', url, 'main'])
    const refspecs = Array.from({ length: 21 }, (_, index) => `main:topic-${index}`)
    const { code, stderr } = await tryGit(path, ['push', url, ...refspecs])
    expect(code).toBe(0)
    expect(stderr.match(/Create a new pull request for/g)).toHaveLength(20)
    expect(stderr).toContain('remote: Processed 21 references in total')
  })

  it('shows no hint if the operator disables it', async () => {
    const silent = await startServer({ settings: { 'git.pull_request_push_message': 'false' } })
    try {
      const ann = await silent.world.user('ann')
      const target = await silent.world.repo({ owner: ann, name: 'silent', autoInit: true })
      const path = await work('silent')
      const { code, stderr } = await tryGit(path, [
        'push',
        `${silent.url.replace('://', `://ann:${encodeURIComponent(PASSWORD)}@`)}/ann/${target.name}.git`,
        'main:topic',
      ])
      expect(code).toBe(0)
      expect(stderr).toContain('Processed 1 reference in total')
      expect(stderr).not.toContain('pull request')
    } finally {
      await silent.close()
    }
  })

  it('shows the hint for every branch of a fork', async () => {
    const source = await repo(alice)
    const path = await work('forked')
    await git(path, ['push', '-q', as(alice, alice, source.name), 'main'])
    expect((await bob.client.post(`/repos/alice/${source.name}/forks`, {})).status).toBe(202)
    await commit(path, 'more')
    const { stderr } = await tryGit(path, ['push', as(bob, bob, source.name), 'main'])
    expect(stderr).toContain("remote: Create a new pull request for 'main':")
  })

  it('changes settings by push options of administrators of the repository only', async () => {
    const target = await repo(alice)
    const path = await work('options')
    const push = (person: Person, branch: string, ...options: string[]) =>
      tryGit(path, [
        'push',
        ...options.flatMap((option) => ['-o', option]),
        as(person, alice, target.name),
        `main:${branch}`,
      ])
    expect((await push(alice, 'main', 'repo.private=true', 'repo.template=true', 'other=1')).code).toBe(0)
    expect(await repoRow(target.id)).toMatchObject({ is_private: 1, is_template: 1 })
    await push(alice, 'two', 'repo.private=false', 'repo.template=sometimes')
    expect(await repoRow(target.id)).toMatchObject({ is_private: 0, is_template: 1 })
    await alice.client.put(`/repos/alice/${target.name}/collaborators/bob`, { permission: 'write' })
    const refused = await push(bob, 'three', 'repo.private=true')
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain(
      'remote: error: options validation failed: permission denied for changing repo settings',
    )
    expect(refused.stderr).toContain('pre-receive hook declined')
    expect(await repoRow(target.id)).toMatchObject({ is_private: 0, branches_count: 2 })
    expect((await push(bob, 'three', 'ci.skip')).code).toBe(0)
  })

  it('repairs rows that are outdated after a crash', async () => {
    const target = await repo(alice)
    const path = await work('heal')
    await git(path, ['push', '-q', target.path, 'main:trunk', 'main:b'])
    expect(await server.app.pushes.reconcile(target.id)).toBe(true)
    expect(await repoRow(target.id)).toMatchObject({ is_empty: 0, branches_count: 2 })
    expect(await server.app.pushes.reconcile(target.id)).toBe(false)
  })

  it('sends CORS headers to other origins only where configured', async () => {
    const preflight = (url: string) =>
      fetch(url, {
        method: 'OPTIONS',
        headers: { origin: 'https://pages.example', 'access-control-request-method': 'POST' },
      })
    const open = await repo(alice)
    expect((await preflight(`${server.url}/alice/${open.name}.git/git-upload-pack`)).status).toBe(404)
    expect(
      (await fetch(`${server.url}/alice/${open.name}.git/info/refs`)).headers.get('access-control-allow-origin'),
    ).toBeNull()
    const other = await startServer({ settings: { 'git.access_control_allow_origin': 'https://pages.example' } })
    try {
      const path = `${other.url}/nobody/nothing.git`
      for (const what of [
        'info/refs',
        'git-upload-pack',
        'git-receive-pack',
        'git-upload-archive',
        'HEAD',
        'objects/info/packs',
      ]) {
        const { status, headers } = await preflight(`${path}/${what}`)
        expect(
          [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')],
          what,
        ).toEqual([200, 'https://pages.example', expect.stringContaining('Content-Type, Authorization, User-Agent')])
      }
      const carol = await other.world.user('carol')
      await carol.client.post('/user/repos', { name: 'r', auto_init: true })
      const refs = await fetch(`${other.url}/carol/r/info/refs?service=git-upload-pack`)
      expect([refs.status, refs.headers.get('access-control-allow-origin'), refs.headers.get('vary')]).toEqual([
        200,
        'https://pages.example',
        'Origin',
      ])
      const answer = await fetch(`${other.url}/carol/r/git-upload-pack`, {
        method: 'POST',
        body: '0014command=ls-refs\n0000',
        headers: { 'content-type': 'application/x-git-upload-pack-request', 'git-protocol': 'version=2' },
      })
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, 'https://pages.example'])
      expect(
        (await fetch(`${path}/info/refs?service=git-receive-pack`)).headers.get('access-control-allow-origin'),
      ).toBe('https://pages.example')
      expect(
        (await fetch(`${other.url}/carol/r/archive/main.zip`)).headers.get('access-control-allow-origin'),
      ).toBeNull()
    } finally {
      await other.close()
    }
  })

  it('creates archives for readers', async () => {
    const open = await repo(alice)
    const secret = await repo(alice, { is_private: 1 })
    const path = await work('archived')
    await git(path, ['push', '-q', as(alice, alice, open.name), 'main'])
    const packet = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text
    const ask = (name: string, type = 'application/x-git-upload-archive-request') =>
      fetch(`${server.url}/alice/${name}.git/git-upload-archive`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: `${packet('argument --format=tar\n')}${packet('argument main\n')}0000`,
      })
    const answer = await ask(open.name)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/x-git-upload-archive-result',
    ])
    const body = Buffer.from(await answer.arrayBuffer()).toString('latin1')
    expect(body.startsWith('0008ACK\n0000')).toBe(true)
    expect(body).toContain('first')
    expect((await ask(open.name, 'text/plain')).status).toBe(400)
    expect((await ask(secret.name)).status).toBe(401)
  })

  it('serves only the files of the dumb protocol', async () => {
    const target = await repo(alice)
    const path = await work('dumb')
    await git(path, ['tag', '-am', 'x', 'v1'])
    await git(path, ['push', '-q', as(alice, alice, target.name), 'main', 'v1'])
    await git(target.path, ['update-server-info'])
    const get = (what: string) => fetch(`${server.url}/alice/${target.name}.git/${what}`)
    expect(await (await get('info/refs')).text()).toMatch(
      /^[0-9a-f]{40}\trefs\/heads\/main\n[0-9a-f]{40}\trefs\/tags\/v1\n[0-9a-f]{40}\trefs\/tags\/v1\^\{\}\n$/,
    )
    expect(await (await get('HEAD')).text()).toBe('ref: refs/heads/main\n')
    expect((await get('objects/info/packs')).status).toBe(200)
    for (const bad of ['objects/..%2Fconfig', 'objects/info/alternates', 'objects/zz/00', 'config'])
      expect((await get(bad)).status).toBe(404)
    const clone = join(dir.path, `dumb-clone-${next()}`)
    await git(dir.path, ['clone', '-q', `${server.url}/alice/${target.name}.git`, clone], {
      env: { GIT_SMART_HTTP: '0' },
    })
    expect(await git(clone, ['rev-parse', 'HEAD'])).toBe(await git(path, ['rev-parse', 'HEAD']))
  })

  it('lets shared caches store only responses to anonymous clients', async () => {
    const authorization = `Basic ${Buffer.from(`alice:${PASSWORD}`).toString('base64')}`
    for (const isPrivate of [false, true]) {
      const target = await repo(alice, { is_private: isPrivate ? 1 : 0 })
      const path = await work('caches')
      await git(path, ['push', '-q', as(alice, alice, target.name), 'main'])
      const oid = await git(target.path, ['rev-parse', 'main'])
      for (const [what, age] of [
        [`.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`, 'max-age=31536000'],
        ['/raw/branch/main/first', 'max-age=21600, no-transform'],
      ]) {
        const url = `${server.url}/alice/${target.name}${what}`
        const own = await fetch(url, { headers: { authorization } })
        expect([own.status, own.headers.get('cache-control')]).toEqual([200, `private, ${age}`])
        const anonymous = await fetch(url)
        if (isPrivate) expect(anonymous.headers.get('cache-control') ?? '').not.toContain('public')
        else expect(anonymous.headers.get('cache-control')).toBe(`public, ${age}`)
      }
    }
  })

  it('responds to a broken compressed body without a crash', async () => {
    const target = await repo(alice)
    const body = Buffer.concat([gzipSync(Buffer.from('0014command=ls-refs\n')).subarray(0, 20), Buffer.from('garbage')])
    const headers = {
      'content-type': 'application/x-git-upload-pack-request',
      'content-encoding': 'gzip',
      'git-protocol': 'version=2',
    }
    const answer = await fetch(`${server.url}/alice/${target.name}/git-upload-pack`, { method: 'POST', body, headers })
    expect(await answer.text()).toContain('ERR the body is not valid gzip')
  })
})
