import { describe, expect, it } from 'vitest'
import { PASSWORD } from '../../harness/world.ts'
import { alice, dir, next, repo, server, useWorld } from './fixture.ts'
import { git } from '../../core/git/wire/client.ts'

describe('access to repositories by role', () => {
  useWorld()

  const basic = (user: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  })
  const refs = (path: string, service: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/${path}/info/refs?service=${service}`, { headers, redirect: 'manual' })

  it('anonymous clients read public repositories and get the same 401 for all others', async () => {
    const open = await repo(alice)
    const secret = await repo(alice, { is_private: 1 })
    expect((await refs(`alice/${open.name}`, 'git-upload-pack')).status).toBe(200)
    const answers = await Promise.all([
      refs(`alice/${open.name}`, 'git-receive-pack'),
      refs(`alice/${secret.name}`, 'git-upload-pack'),
      refs('alice/missing', 'git-upload-pack'),
      refs('nobody/missing', 'git-upload-pack'),
    ])
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="Gitea"')
      expect(await answer.text()).toBe('Unauthorized\n')
    }
  })

  it('wrong passwords, missing and hidden repositories get their messages', async () => {
    const secret = await repo(alice, { is_private: 1 })
    const wrong = await refs(`alice/${secret.name}`, 'git-upload-pack', basic('alice', 'wrong'))
    expect([wrong.status, await wrong.text()]).toEqual([401, 'Failed to authenticate user\n'])
    for (const [path, text] of [
      [`alice/${secret.name}`, 'Repository not found\n'],
      ['alice/none', 'Repository not found\n'],
      ['none/none', 'Not found.\n'],
    ] as const) {
      const answer = await refs(path, 'git-upload-pack', basic('bob', PASSWORD))
      expect([answer.status, await answer.text()]).toEqual([404, text])
    }
  })

  it('tokens need the scope, however they are sent', async () => {
    const secret = await repo(alice, { is_private: 1 })
    const reading = await alice.token('read:repository')
    const other = await alice.token('read:user')
    const narrow = await alice.token('read:repository', 'public-only')
    for (const headers of [
      basic('alice', reading),
      basic(reading, ''),
      basic(reading, 'x-oauth-basic'),
      { authorization: `token ${reading}` },
      { authorization: `Bearer ${reading}` },
    ]) {
      expect((await refs(`alice/${secret.name}`, 'git-upload-pack', headers)).status).toBe(200)
      expect((await refs(`alice/${secret.name}`, 'git-receive-pack', headers)).status).toBe(403)
    }
    for (const token of [other, narrow])
      expect((await refs(`alice/${secret.name}`, 'git-upload-pack', { authorization: `token ${token}` })).status).toBe(
        403,
      )
  })

  it('archived repositories and mirrors refuse pushes', async () => {
    const archived = await repo(alice, { is_archived: 1 })
    const mirror = await repo(alice, { is_mirror: 1 })
    const first = await refs(`alice/${archived.name}`, 'git-receive-pack', basic('alice', PASSWORD))
    expect([first.status, await first.text()]).toEqual([
      403,
      'This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.\n',
    ])
    const second = await refs(`alice/${mirror.name}`, 'git-receive-pack', basic('alice', PASSWORD))
    expect([second.status, await second.text()]).toEqual([403, 'mirror repository is read-only\n'])
  })

  it('bad requests get the proper 4xx', async () => {
    const open = await repo(alice)
    expect((await refs(`alice/${open.name}`, 'git-evil')).status).toBe(400)
    const post = (headers: Record<string, string>) =>
      fetch(`${server.url}/alice/${open.name}/git-upload-pack`, { method: 'POST', body: '0000', headers })
    expect((await post({ 'content-type': 'text/plain' })).status).toBe(400)
    expect(
      (await post({ 'content-type': 'application/x-git-upload-pack-request', 'content-encoding': 'br' })).status,
    ).toBe(415)
  })

  it('renames redirect viewers who may see the new name', async () => {
    const open = await repo(alice)
    const secret = await repo(alice, { is_private: 1 })
    await server.app.database.transaction(async (tx) => {
      await tx
        .insertInto('repo_redirect')
        .values([
          { owner_id: alice.user.id, lower_name: 'old-open', repo_id: open.id },
          { owner_id: alice.user.id, lower_name: 'old-secret', repo_id: secret.id },
        ])
        .execute()
    })
    const answer = await refs('alice/old-open.git', 'git-upload-pack')
    expect([answer.status, answer.headers.get('location')]).toEqual([
      301,
      `/alice/${open.name}.git/info/refs?service=git-upload-pack`,
    ])
    expect((await refs('alice/old-secret', 'git-upload-pack')).status).toBe(401)
    expect((await refs('alice/old-secret', 'git-upload-pack', basic('bob', PASSWORD))).status).toBe(404)
    expect((await refs('alice/old-secret', 'git-upload-pack', basic('alice', PASSWORD))).status).toBe(301)
    await git(dir.path, ['clone', '-q', `${server.url}/alice/old-open.git`, `renamed-${next()}`])
  })
})
