import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateUser } from '../../src/domains/accounts/users/user.store.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

let server: TestServer
let ann: Person
let bob: Person
let cat: Person
let eve: Person

beforeAll(async () => {
  server = await startServer()
  ann = await server.world.user('ann')
  bob = await server.world.user('bob')
  cat = await server.world.user('cat')
  eve = await server.world.user('eve')
  await server.world.repo({ owner: ann, name: 'open' })
  await server.world.repo({ owner: ann, name: 'shut', isPrivate: true })
})
afterAll(() => server.close())

const names = (answer: { json: { login: string }[] }): string[] => answer.json.map((user) => user.login)

describe('anonymous callers and users without access', () => {
  it('cannot detect a private repository', async () => {
    for (const client of [server.anonymous, eve.client]) {
      for (const path of [
        'collaborators',
        'collaborators/bob',
        'collaborators/bob/permission',
        'assignees',
        'reviewers',
      ]) {
        expect((await client.get(`/repos/ann/shut/${path}`)).status).toBe(404)
        expect((await client.get(`/repos/ann/missing/${path}`)).status).toBe(404)
      }
      expect((await client.put('/repos/ann/shut/collaborators/eve', { permission: 5 })).status).toBe(404)
      expect((await client.delete('/repos/ann/shut/collaborators/bob')).status).toBe(404)
    }
  })

  it('may read a public one when signed in, and change nothing', async () => {
    expect((await server.anonymous.get('/repos/ann/open/collaborators')).status).toBe(401)
    expect(names(await eve.client.get('/repos/ann/open/collaborators'))).toEqual([])
    expect((await eve.client.put('/repos/ann/open/collaborators/eve', { permission: 5 })).status).toBe(403)
    expect((await eve.client.get('/repos/ann/open/reviewers')).status).toBe(403)
    expect((await eve.client.get('/repos/ann/open/collaborators/ann/permission')).status).toBe(403)
    expect((await eve.client.get('/repos/ann/open/collaborators/eve/permission')).json).toMatchObject({
      permission: 'read',
      role_name: 'read',
      user: { login: 'eve', active: false },
    })
  })
})

describe('collaborators', () => {
  const put = (name: string, body: object = {}) => ann.client.put(`/repos/ann/shut/collaborators/${name}`, body)
  const level = async (name: string) =>
    (await ann.client.get(`/repos/ann/shut/collaborators/${name}/permission`)).json.permission

  it('are added with write by default, and changed by the same call', async () => {
    expect((await put('bob')).status).toBe(204)
    expect(await level('bob')).toBe('write')
    expect((await put('BOB', { permission: 'read' })).status).toBe(204)
    expect(await level('bob')).toBe('read')
    expect((await bob.client.get('/repos/ann/shut')).json.permissions).toEqual({
      admin: false,
      push: false,
      pull: true,
    })
    expect(await level('ann')).toBe('owner')
    expect(await level('eve')).toBe('none')
  })

  it('are listed by id in pages', async () => {
    await put('cat', { permission: 'admin' })
    const page = await bob.client.get('/repos/ann/shut/collaborators?limit=1&page=2')
    expect(names(page)).toEqual(['cat'])
    expect(page.headers.get('x-total-count')).toBe('2')
    expect((await ann.client.get('/repos/ann/shut/collaborators/cat')).status).toBe(204)
    expect((await ann.client.get('/repos/ann/shut/collaborators/ann')).status).toBe(404)
  })

  it('cannot be unknown users or have unknown levels: 422', async () => {
    expect(await put('nobody')).toMatchObject({
      status: 422,
      json: { message: 'user does not exist [uid: 0, name: nobody]' },
    })
    expect(await put('eve', { permission: 'galactic' })).toMatchObject({
      status: 422,
      json: { message: '[Permission]: In' },
    })
    expect((await put('eve', { permission: 'owner' })).status).toBe(422)
    expect((await ann.client.get('/repos/ann/shut/collaborators/nobody')).status).toBe(422)
    expect((await ann.client.delete('/repos/ann/shut/collaborators/nobody')).status).toBe(422)
    const idle = await server.world.user('idle')
    await server.app.database.transaction((tx) => updateUser(tx, idle.user.id, { is_active: 0 }))
    expect((await put('idle')).status).toBe(422)
  })

  it('with admin access manage others but are not owners', async () => {
    expect((await cat.client.put('/repos/ann/shut/collaborators/eve', { permission: 'read' })).status).toBe(204)
    expect((await bob.client.put('/repos/ann/shut/collaborators/bob', { permission: 'admin' })).status).toBe(403)
    expect((await bob.client.get('/repos/ann/shut/collaborators/cat/permission')).status).toBe(403)
    expect(names(await ann.client.get('/repos/ann/shut/assignees'))).toEqual(['cat', 'ann'])
    const abe = await server.world.user('Abe')
    await ann.client.put('/repos/ann/shut/collaborators/abe', { permission: 'read' })
    expect(names(await bob.client.get('/repos/ann/shut/reviewers'))).toEqual(['Abe', 'bob', 'cat', 'eve', 'ann'])
    await server.app.database.transaction((tx) => updateUser(tx, abe.user.id, { is_active: 0 }))
    expect(names(await bob.client.get('/repos/ann/shut/reviewers'))).toEqual(['bob', 'cat', 'eve', 'ann'])
    await ann.client.delete('/repos/ann/shut/collaborators/abe')
  })

  it('lose access to the repository and their watch when they are removed', async () => {
    expect((await eve.client.put('/repos/ann/shut/subscription')).status).toBe(200)
    expect((await ann.client.get('/repos/ann/shut')).json.watchers_count).toBe(2)
    expect((await ann.client.delete('/repos/ann/shut/collaborators/eve')).status).toBe(204)
    expect((await ann.client.delete('/repos/ann/shut/collaborators/eve')).status).toBe(204)
    expect((await eve.client.get('/repos/ann/shut')).status).toBe(404)
    expect((await ann.client.get('/repos/ann/shut')).json.watchers_count).toBe(1)
    expect(names(await ann.client.get('/repos/ann/shut/subscribers'))).toEqual(['ann'])
  })
})
