import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { commandLine } from '../../src/core/access/viewer.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5mSAHtMWCxCtzOqCzOHmJyYoBwnEs6MWNSVMEBT1nS ann@home'
const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})

describeOnBoth('the audit log', (kind) => {
  let server: TestServer
  let [root, ann, bob] = [] as unknown as [Person, Person, Person]

  beforeAll(async () => {
    server = await startServer({ on: kind })
    root = await server.world.admin()
    ;[ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
    await server.world.repo({ owner: ann, name: 'project' })
  })
  afterAll(() => server.close())

  /** The newest entry of an action. */
  const newest = async (action: string): Promise<Any> => {
    await server.app.signInRecords.flush()
    return (await root.client.get(`/admin/audit?action=${action}&limit=1`)).json[0]
  }

  it('is for site administrators', async () => {
    expect((await server.anonymous.get('/admin/audit')).status).toBe(401)
    expect((await ann.client.get('/admin/audit')).status).toBe(403)
  })

  it('contains actor, action, address and credential', async () => {
    const agent = { 'user-agent': 'a client/1.0' }
    expect((await ann.client.post('/user/keys', { title: 'home', key: KEY }, agent)).status).toBe(201)
    expect(await newest('key.added')).toMatchObject({
      outcome: 'succeeded',
      actor: { id: ann.user.id, name: 'ann' },
      sudo_by: null,
      credential: { kind: 'password', id: 0, name: '' },
      address: '127.0.0.1',
      user_agent: 'a client/1.0',
      target: { kind: 'user', id: ann.user.id, name: 'ann' },
      details: { fingerprint: expect.stringMatching(/^SHA256:/) },
    })
  })

  it.each([
    [
      'collaborator.changed',
      'PUT',
      '/repos/ann/project/collaborators/bob',
      { permission: 'write' },
      { user: 'bob', permission: 'write' },
    ],
    ['collaborator.removed', 'DELETE', '/repos/ann/project/collaborators/bob', undefined, { user: 'bob' }],
    ['repo.visibility-changed', 'PATCH', '/repos/ann/project', { private: true }, { private: true }],
    ['repo.archived', 'PATCH', '/repos/ann/project', { archived: true }, {}],
    ['repo.unarchived', 'PATCH', '/repos/ann/project', { archived: false }, {}],
    [
      'protection.created',
      'POST',
      '/repos/ann/project/branch_protections',
      { rule_name: 'main' },
      { protects: 'branch', rule: 'main' },
    ],
    [
      'protection.changed',
      'PATCH',
      '/repos/ann/project/branch_protections/main',
      { enable_push: true },
      { rule: 'main' },
    ],
    ['protection.deleted', 'DELETE', '/repos/ann/project/branch_protections/main', undefined, { rule: 'main' }],
    [
      'protection.created',
      'POST',
      '/repos/ann/project/tag_protections',
      { name_pattern: 'v*', whitelist_usernames: ['ann'] },
      { protects: 'tag', rule: 'v*' },
    ],
    [
      'hook.created',
      'POST',
      '/repos/ann/project/hooks',
      {
        type: 'slack',
        config: {
          url: 'https://hooks.example.test/services/HIDDEN',
          content_type: 'json',
          channel: '#a',
          secret: 'HIDDEN',
        },
      },
      { type: 'slack', host: 'hooks.example.test', active: false },
    ],
    ['repo.transfer-started', 'POST', '/repos/ann/project/transfer', { new_owner: 'bob' }, { recipient: 'bob' }],
  ] as const)('records %s', async (...[action, method, path, body, details]) => {
    const call = { PUT: ann.client.put, DELETE: ann.client.delete, PATCH: ann.client.patch, POST: ann.client.post }[
      method
    ]
    expect((await call(path, body)).status).toBeLessThan(300)
    expect(await newest(action)).toMatchObject({
      actor: { name: 'ann' },
      target: { kind: 'repository', name: 'ann/project' },
      details,
    })
  })

  it('records the account that accepts a transfer, and the deletion under the new name', async () => {
    expect((await bob.client.post('/repos/ann/project/transfer/accept')).status).toBe(202)
    expect(await newest('repo.transferred')).toMatchObject({
      actor: { name: 'bob' },
      address: '127.0.0.1',
      target: { name: 'bob/project' },
      details: { old_owner: 'ann' },
    })
    expect((await bob.client.delete('/repos/bob/project')).status).toBe(204)
    expect(await newest('repo.deleted')).toMatchObject({ actor: { name: 'bob' }, target: { name: 'bob/project' } })
  })

  it('records tokens by name, also as the credential of later changes', async () => {
    const input = { name: 'ci', scopes: ['write:user'] }
    const made = await ann.client.post('/users/ann/tokens', input)
    expect(await newest('token.created')).toMatchObject({
      credential: { kind: 'password' },
      details: { token_id: made.json.id, name: 'ci', scopes: 'write:user' },
    })
    const byToken = { authorization: `token ${made.json.sha1}` }
    expect((await server.anonymous.post('/user/emails', { emails: ['a@example.test'] }, byToken)).status).toBe(201)
    expect(await newest('email.added')).toMatchObject({
      credential: { kind: 'access-token', id: made.json.id, name: 'ci' },
      details: { email: 'a@example.test' },
    })
    expect((await ann.client.delete('/users/ann/tokens/ci')).status).toBe(204)
    expect(await newest('token.deleted')).toMatchObject({ details: { name: 'ci' } })
    expect(JSON.stringify(await rows(server, 'audit_entry'))).not.toContain(made.json.sha1)
  })

  it('records sign-ins by a password that comes with every request once an hour', async () => {
    await server.app.signInRecords.flush()
    expect(await rows(server, 'audit_entry', { action: 'sign-in.succeeded', actor_name: 'ann' })).toMatchObject([
      { credential: 'password', address: '127.0.0.1', target_name: 'ann' },
    ])
  })

  it('counts failed sign-ins by client, account and credential, and stores no names without an account', async () => {
    for (let times = 0; times < 3; times++)
      expect((await server.anonymous.get('/user', basic('bob', 'HIDDEN'))).status).toBe(401)
    expect((await server.anonymous.get('/user', basic('HIDDEN', 'HIDDEN'))).status).toBe(401)
    expect((await server.anonymous.get('/user', { authorization: 'token HIDDEN' })).status).toBe(401)
    await server.app.signInRecords.flush()
    const { json } = await root.client.get('/admin/audit?action=sign-in.failed')
    expect(
      json.map(({ credential, target, details, outcome }: Any) => [
        credential.kind,
        target.name,
        details.attempts,
        outcome,
      ]),
    ).toEqual([
      ['access-token', '', 1, 'failed'],
      ['password', '', 1, 'failed'],
      ['password', 'bob', 3, 'failed'],
    ])
  })

  it('records sudo, once a minute for each operation, and names the administrator at the change', async () => {
    const sudo = { sudo: 'ann' }
    for (let times = 0; times < 2; times++) expect((await root.client.get('/user', sudo)).json.login).toBe('ann')
    expect(await newest('sudo.used')).toMatchObject({
      actor: { name: root.user.name },
      target: { name: 'ann' },
      details: { operation: 'userGetCurrent' },
    })
    expect(await rows(server, 'audit_entry', { action: 'sudo.used' })).toHaveLength(1)
    expect((await root.client.post('/user/emails', { emails: ['new@example.test'] }, sudo)).status).toBe(201)
    expect(await newest('email.added')).toMatchObject({
      actor: { name: 'ann' },
      sudo_by: { id: root.user.id, name: root.user.name },
    })
  })

  it('records changes of accounts by administrators', async () => {
    const path = '/admin/users/bob'
    expect((await root.client.patch(path, { login_name: '', admin: true })).status).toBe(200)
    expect(await newest('admin.user-edited')).toMatchObject({
      actor: { name: root.user.name },
      target: { kind: 'user', name: 'bob' },
      details: { changed: expect.arrayContaining(['is_admin']) },
    })
    expect((await root.client.patch(path, { login_name: '', admin: false })).status).toBe(200)
    expect((await root.client.post(`${path}/rename`, { new_username: 'robert' })).status).toBe(204)
    expect(await newest('user.renamed')).toMatchObject({ target: { name: 'robert' }, details: { old_name: 'bob' } })
    expect((await root.client.delete('/admin/users/robert?purge=true')).status).toBe(204)
    expect(await newest('user.deleted')).toMatchObject({ target: { id: bob.user.id, name: 'robert' } })
  })

  it('records changes of the site by administrators', async () => {
    await server.app.badges.create(commandLine, { slug: 'kind', description: '', imageUrl: '' })
    const badges = { badge_slugs: ['kind'] }
    expect((await root.client.post('/admin/users/ann/badges', badges)).status).toBe(204)
    expect(await newest('admin.badges-given')).toMatchObject({ target: { name: 'ann' }, details: { badges: ['kind'] } })
    expect((await root.client.delete('/admin/users/ann/badges', badges)).status).toBe(204)
    expect(await newest('admin.badges-taken')).toMatchObject({ target: { name: 'ann' } })
    expect((await root.client.post('/admin/cron/delete_old_audit_entries')).status).toBe(204)
    expect(await newest('admin.task-run')).toMatchObject({
      actor: { name: root.user.name },
      target: { kind: 'site' },
      details: { task: 'delete_old_audit_entries' },
    })
    for (const name of ['lost', 'kept']) {
      const dir = join(server.dataDir, 'git', 'adopt', 'ann', `${name}.git`)
      execFileSync('git', ['init', '-q', '--bare', '-b', 'main', dir])
    }
    expect((await root.client.delete('/admin/unadopted/ann/lost')).status).toBe(204)
    expect(await newest('admin.unadopted-deleted')).toMatchObject({
      target: { name: 'ann' },
      details: { name: 'lost' },
    })
    expect((await root.client.post('/admin/unadopted/ann/kept')).status).toBe(204)
    expect(await newest('admin.repository-adopted')).toMatchObject({ target: { kind: 'repository', name: 'ann/kept' } })
  })

  it('records organizations and the rights of their teams', async () => {
    expect((await ann.client.post('/orgs', { username: 'acme' })).status).toBe(201)
    expect((await ann.client.patch('/orgs/acme', { visibility: 'private' })).status).toBe(200)
    expect(await newest('organization.visibility-changed')).toMatchObject({
      target: { kind: 'organization', name: 'acme' },
      details: { visibility: 'private', old_visibility: 'public' },
    })
    const rights = { permission: 'read', units_map: { 'repo.code': 'read' } }
    const team = (await ann.client.post('/orgs/acme/teams', { name: 'devs', ...rights })).json
    expect(await newest('team.created')).toMatchObject({ target: { kind: 'team', name: 'acme/devs' } })
    await ann.client.patch(`/teams/${team.id}`, { name: 'devs', description: 'who build' })
    expect(await newest('team.edited')).toMatchObject({ target: { name: 'acme/devs' } })
    expect(await newest('team.permission-changed')).toBeUndefined()
    await ann.client.patch(`/teams/${team.id}`, {
      name: 'devs',
      units_map: { 'repo.code': 'write' },
      permission: 'write',
    })
    expect(await newest('team.permission-changed')).toMatchObject({ target: { name: 'acme/devs' } })
    expect((await ann.client.put(`/teams/${team.id}/members/ann`)).status).toBe(204)
    expect(await newest('team.member-added')).toMatchObject({ target: { name: 'acme/devs' }, details: { user: 'ann' } })
    expect((await ann.client.delete('/orgs/acme')).status).toBe(204)
    expect(await newest('organization.deleted')).toMatchObject({ target: { name: 'acme' } })
  })

  it('selects by actor, area, target and time, and pages', async () => {
    const list = async (query: string) => (await root.client.get(`/admin/audit?${query}`)).json as Any[]
    const own = await list('actor=ANN&limit=50')
    expect(own.length).toBeGreaterThan(10)
    expect(new Set(own.map(({ actor }) => actor.name))).toEqual(new Set(['ann']))
    expect((await list('action=protection')).map(({ action }) => action)).toEqual([
      'protection.created',
      'protection.deleted',
      'protection.changed',
      'protection.created',
    ])
    expect((await list('target=ann/Project&action=hook')).map(({ action }) => action)).toEqual(['hook.created'])
    expect(await list('since=2999-01-01T00:00:00Z')).toEqual([])
    expect(await list('before=2000-01-01T00:00:00Z')).toEqual([])
    expect(await list(`since=2000-01-01T00:00:00Z&actor=ann&limit=50`)).toEqual(own)
    expect((await root.client.get('/admin/audit?since=yesterday')).status).toBe(422)
    const page = await root.client.get('/admin/audit?actor=ann&limit=2&page=2')
    expect(page.json).toEqual(own.slice(2, 4))
    expect(page.headers.get('x-total-count')).toBe(String(own.length))
    expect(page.headers.get('link')).toContain('rel="next"')
  })

  it('contains no secret', async () => {
    expect(JSON.stringify(await rows(server, 'audit_entry'))).not.toMatch(new RegExp(`HIDDEN|${PASSWORD}`))
  })
})
