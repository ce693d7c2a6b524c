import { describe, expect, it } from 'vitest'
import { git } from '../core/git/wire/client.ts'
import { row } from '../harness/expect.ts'
import { importWorld, migrate } from './import-world.ts'

describe('imported repositories', () => {
  const given = importWorld()

  it('need a signed-in user and name the missing field', async () => {
    expect((await given.server.anonymous.post('/repos/migrate', '{')).status).toBe(401)
    expect((await migrate(given.ann, { clone_addr: given.address })).json).toMatchObject({
      message: '[RepoName]: Required',
    })
    expect((await migrate(given.ann, { repo_name: 'x' })).json).toMatchObject({ message: '[CloneAddr]: Required' })
    expect((await migrate(given.ann, { clone_addr: given.address, repo_name: 'a b' })).json).toMatchObject({
      message: '[RepoName]: AlphaDashDot',
    })
  })

  it('have branches, tags, history and the default branch', async () => {
    const made = await migrate(given.ann, {
      clone_addr: given.address,
      repo_name: 'copy',
      description: 'imported',
      private: true,
    })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      full_name: 'ann/copy',
      description: 'imported',
      private: true,
      empty: false,
      mirror: false,
      mirror_interval: '',
      original_url: given.address,
      default_branch: 'main',
      branch_count: 2,
      has_pull_requests: true,
      permissions: { admin: true },
    })
    expect(made.json.size).toBeGreaterThan(0)
    expect(
      (await given.ann.client.get('/repos/ann/copy/branches')).json
        .map((branch: { name: string }) => branch.name)
        .toSorted(),
    ).toEqual(['main', 'side'])
    expect((await given.ann.client.get('/repos/ann/copy/tags')).json).toMatchObject([{ name: 'v1' }])
    expect((await given.ann.client.get('/repos/ann/copy/contents/first.txt')).status).toBe(200)
    expect((await given.bob.client.get('/repos/ann/copy')).status).toBe(404)
    const { id, storage } = await row(given.server, 'repo', { id: made.json.id })
    expect(await git(given.server.app.git.path(storage), ['fsck', '--strict'])).toBe('')
    expect(await given.server.app.pushes.reconcile(id as never)).toBe(false)
  })

  it('have the wiki on request, if there is one', async () => {
    const made = await migrate(given.ann, { clone_addr: given.address, repo_name: 'with-wiki', wiki: true })
    const bare = await migrate(given.ann, { clone_addr: given.address, repo_name: 'without-wiki' })
    expect([made.json.has_wiki_contents, bare.json.has_wiki_contents]).toEqual([true, false])
    expect(await given.server.app.wikis.inspect(made.json.id)).toBeUndefined()
    const hasWiki = async (name: string) =>
      given.server.app.git.repoExists(`${(await row(given.server, 'repo', { name })).storage}.wiki`)
    expect([await hasWiki('with-wiki'), await hasWiki('without-wiki')]).toEqual([true, false])
    await given.upstream.create('plain')
    expect(
      (await migrate(given.ann, { clone_addr: `${given.upstream.url}/plain.git`, repo_name: 'plain', wiki: true }))
        .status,
    ).toBe(201)
  })

  it('retain the object format, and may be empty', async () => {
    await given.upstream.create('modern', { format: 'sha256' })
    expect(
      (await migrate(given.ann, { clone_addr: `${given.upstream.url}/modern.git`, repo_name: 'modern' })).json,
    ).toMatchObject({
      object_format_name: 'sha256',
      empty: false,
    })
    await given.server.world.repo({ owner: given.bob, name: 'nothing' })
    expect(
      (await migrate(given.ann, { clone_addr: `${given.server.url}/bob/nothing.git`, repo_name: 'nothing' })).json,
    ).toMatchObject({ empty: true, branch_count: 0 })
  })

  it('belong to an owner for whom the actor may create repositories', async () => {
    const { owner } = await given.server.world.org('acme')
    const hidden = await given.server.world.org('hidden', { visibility: 'private' })
    const target = (repo_owner: string) => ({ clone_addr: given.address, repo_name: 'given', repo_owner })
    expect((await migrate(given.bob, target('ann'))).json).toMatchObject({
      message: 'Given user is not an organization.',
    })
    expect(await migrate(given.bob, target('acme'))).toMatchObject({
      status: 403,
      json: { message: 'Given user is not owner of organization.' },
    })
    expect(await migrate(given.bob, target('nobody'))).toMatchObject({
      status: 422,
      json: { message: 'user does not exist [uid: 0, name: nobody]' },
    })
    expect((await migrate(given.bob, target(hidden.name))).status).toBe(422)
    expect((await migrate(owner, target('acme'))).json).toMatchObject({ full_name: 'acme/given' })
    expect(
      (await migrate(given.root, { clone_addr: given.address, repo_name: 'by-id', uid: given.bob.user.id })).json,
    ).toMatchObject({
      full_name: 'bob/by-id',
    })
  })

  it('warn about metadata that cannot be imported, but not for plain git and mirrors', async () => {
    const body = { clone_addr: given.address, repo_name: 'meta', service: 'codecommit', issues: true, releases: true }
    const made = await migrate(given.ann, body)
    expect(made.status).toBe(201)
    expect(made.headers.get('x-ingot-warning')).toContain(
      'not imported, because this server cannot import them from codecommit: issues, releases',
    )
    expect(made.headers.get('x-gitea-warning')).toBe(made.headers.get('x-ingot-warning'))
    for (const other of [
      { repo_name: 'meta-git', service: 'git' },
      { repo_name: 'meta-mirror', mirror: true },
    ]) {
      const answer = await migrate(given.ann, { ...body, ...other })
      expect([answer.status, answer.headers.get('x-ingot-warning')]).toEqual([201, null])
    }
  })

  it('treat an unknown service as plain git, with a warning that names it', async () => {
    const made = await migrate(given.ann, { clone_addr: given.address, repo_name: 'nonsense', service: 'nonsense' })
    expect([made.status, made.headers.get('x-ingot-warning')]).toEqual([201, 'service: unknown and ignored: nonsense'])
    const known = await migrate(given.ann, { clone_addr: given.address, repo_name: 'known', service: 'OneDev' })
    expect([known.status, known.headers.get('x-ingot-warning') ?? '']).toEqual([
      201,
      expect.not.stringContaining('unknown'),
    ])
  })

  it('check the interval of a mirror first', async () => {
    const body = { clone_addr: given.address, repo_name: 'interval', mirror: true }
    expect((await migrate(given.ann, { ...body, mirror_interval: '1s' })).json).toMatchObject({
      message: 'interval 1s is set below Minimum Interval of 10m0s',
    })
    expect((await migrate(given.ann, { ...body, mirror_interval: 'zz' })).json).toMatchObject({
      message: 'time: invalid duration "zz"',
    })
    expect((await migrate(given.ann, { ...body, mirror_interval: '-1h' })).status).toBe(422)
    expect((await migrate(given.ann, { ...body, mirror_interval: '0' })).json).toMatchObject({
      mirror: true,
      mirror_interval: '0s',
      has_pull_requests: false,
    })
    expect((await migrate(given.ann, { ...body, repo_name: 'interval-default' })).json).toMatchObject({
      mirror_interval: '8h0m0s',
    })
  })
})
