import { beforeAll, expect, it } from 'vitest'
import { commandLine } from '../../src/core/access/viewer.ts'
import type { Any, Client } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { useOauthServer } from '../accounts/oauth/oauth-fixture.ts'

describeOnBoth('the audit log of settings', (kind) => {
  const { world, register, signedIn, authorize } = useOauthServer(kind, { 'quota.enabled': 'true' })

  let root: Client
  beforeAll(async () => {
    root = (await world.server.world.admin()).client
  })
  /** The entries of an area, the newest first. */
  const entries = async (area: string): Promise<Any[]> => (await root.get(`/admin/audit?action=${area}&limit=50`)).json

  it('contains OAuth2 applications, with every new secret and without its value', async () => {
    const { alice } = world
    const { id, secret } = await register({ name: 'app' })
    const path = `/user/applications/oauth2/${id}`
    const edited = await alice.client.patch(path, { name: 'renamed', redirect_uris: ['https://app.example.test/cb'] })
    expect(edited.status).toBe(200)
    expect((await alice.client.delete(path)).status).toBe(204)
    expect((await alice.client.delete(path)).status).toBe(404)
    const found = await entries('oauth-application')
    expect(found.map(({ action, details }) => [action, details])).toEqual([
      ['oauth-application.deleted', { application_id: id, application: 'renamed' }],
      ['oauth-application.changed', { application_id: id, application: 'renamed' }],
      ['oauth-application.created', { application_id: id, application: 'app' }],
    ])
    expect(found[0]).toMatchObject({
      actor: { name: 'alice' },
      address: '127.0.0.1',
      credential: { kind: 'password' },
      target: { kind: 'user', name: 'alice' },
    })
    const stored = JSON.stringify(await rows(world.server, 'audit_entry'))
    expect(stored).not.toContain(secret)
    expect(stored).not.toContain(edited.json.client_secret)
  })

  it('contains grants when they are given for the first time and when they are revoked', async () => {
    const app = await register({ name: 'client' })
    const browser = await signedIn()
    for (let times = 0; times < 2; times++)
      expect((await authorize(browser, { client_id: app.client, scope: 'read:user' })).get('code')).toMatch(/^gta_/)
    await browser.open('/user/applications')
    await browser.send({})
    const found = await entries('oauth-grant')
    expect(found.map(({ action }) => action)).toEqual(['oauth-grant.revoked', 'oauth-grant.given'])
    for (const entry of found)
      expect(entry).toMatchObject({
        actor: { name: 'alice' },
        credential: { kind: 'session' },
        target: { kind: 'user', name: 'alice' },
        details: { application_id: app.id, application: 'client', scope: 'read:user' },
      })
  })

  it('contains quota rules and groups, and their members', async () => {
    const client = root
    const [rules, groups] = ['/admin/quota/rules', '/admin/quota/groups']
    const rule = { name: 'small', limit: 1000, subjects: ['size:all'] }
    expect((await client.post(rules, rule)).status).toBe(201)
    expect((await client.patch(`${rules}/small`, { limit: 2000 })).status).toBe(200)
    expect((await client.post(groups, { name: 'guests', rules: [{ name: 'tiny', limit: 1 }] })).status).toBe(201)
    expect((await client.post(groups, { name: 'guests' })).status).toBe(409)
    for (const [method, path] of [
      ['put', `${groups}/guests/rules/small`],
      ['delete', `${groups}/guests/rules/small`],
      ['put', `${groups}/guests/users/alice`],
      ['delete', `${groups}/guests/users/alice`],
    ] as const)
      expect((await client[method](path)).status, `${method} ${path}`).toBe(204)
    expect((await client.post('/admin/users/alice/quota/groups', { groups: ['guests'] })).status).toBe(204)
    expect((await client.delete(`${groups}/guests`)).status).toBe(204)
    expect((await client.delete(`${rules}/small`)).status).toBe(204)
    const found = await entries('quota')
    expect(found.toReversed().map(({ action, target, details }) => [action, target.name, details])).toEqual([
      ['quota.rule-created', '', { rule: 'small', limit: 1000, subjects: ['size:all'] }],
      ['quota.rule-changed', '', { rule: 'small', limit: 2000, subjects: ['size:all'] }],
      ['quota.rule-created', '', { rule: 'tiny', limit: 1, subjects: [] }],
      ['quota.group-created', '', { group: 'guests', rules: ['tiny'] }],
      ['quota.group-rule-added', '', { group: 'guests', rule: 'small' }],
      ['quota.group-rule-removed', '', { group: 'guests', rule: 'small' }],
      ['quota.member-added', 'alice', { group: 'guests' }],
      ['quota.member-removed', 'alice', { group: 'guests' }],
      ['quota.groups-set', 'alice', { groups: ['guests'] }],
      ['quota.group-deleted', '', { group: 'guests' }],
      ['quota.rule-deleted', '', { rule: 'small' }],
    ])
  })

  it('contains the order of branch protections, unless the request names none of the repository', async () => {
    const { client } = world.alice
    const path = '/repos/alice/secret/branch_protections'
    for (const name of ['one', 'two']) expect((await client.post(path, { rule_name: name })).status).toBe(201)
    const ids = (await rows(world.server, 'branch_rule')).map(({ id }) => Number(id)).toSorted((a, b) => b - a)
    expect((await client.post(`${path}/priority`, { ids })).status).toBe(204)
    expect((await client.post(`${path}/priority`, { ids: [99_999] })).status).toBe(204)
    expect(await entries('protection.reordered')).toMatchObject([
      { target: { name: 'alice/secret' }, details: { protects: 'branch', rules: ['two', 'one'] } },
    ])
  })

  it('contains projects that are deleted', async () => {
    const { client } = world.alice
    for (const path of ['/repos/alice/secret/projects', '/user/projects']) {
      const { id } = (await client.post(path, { title: `Of ${path}` })).json
      expect((await client.delete(`${path}/${id}`)).status).toBe(204)
    }
    expect((await entries('project')).map(({ action, target, details }) => [action, target.name, details])).toEqual([
      ['project.deleted', 'alice', { title: 'Of /user/projects' }],
      ['project.deleted', 'alice/secret', { title: 'Of /repos/alice/secret/projects' }],
    ])
  })

  it('contains badges that are created and deleted at the command line', async () => {
    const { badges } = world.server.app
    await badges.create(commandLine, { slug: 'early', description: '', imageUrl: '' })
    await badges.delete(commandLine, 'early')
    expect(
      (await entries('admin')).map(({ action, credential, details }) => [action, credential.kind, details]),
    ).toEqual([
      ['admin.badge-deleted', 'command-line', { badge: 'early' }],
      ['admin.badge-created', 'command-line', { badge: 'early' }],
    ])
  })
})
