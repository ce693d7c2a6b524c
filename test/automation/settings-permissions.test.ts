import { describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { LEVELS, SCOPES, settingsWorld } from './settings-world.ts'

const OWNER_OF_REPO = 'user should be the owner of the repo'
const OWNER_OF_ORG = 'Must be an organization owner'

describeOnBoth('who manages secrets and variables', (kind) => {
  const given = settingsWorld(kind)

  /** Every operation of a level, in an order in which each can succeed. */
  const callAll = async (client: Client, level: string): Promise<(readonly [number, string | undefined])[]> => {
    const calls = [
      () => client.put(`${level}/secrets/MINE`, { data: 'x' }),
      () => client.get(`${level}/secrets`),
      () => client.delete(`${level}/secrets/MINE`),
      () => client.post(`${level}/variables/MINE`, { value: 'x' }),
      () => client.get(`${level}/variables`),
      () => client.get(`${level}/variables/MINE`),
      () => client.put(`${level}/variables/MINE`, { value: 'y' }),
      () => client.delete(`${level}/variables/MINE`),
    ]
    const answers: (readonly [number, string | undefined])[] = []
    for (const call of calls) {
      const { status, json } = await call()
      answers.push([status, status < 400 ? undefined : json.message])
    }
    return answers
  }
  const DONE = [201, 200, 204, 201, 200, 200, 204, 204].map((status) => [status, undefined])
  const refused = (status: number, message?: string) => Array.from({ length: 8 }, () => [status, message])

  it('of a repository: its owner and site administrators, not its collaborators', async () => {
    const level = '/repos/ann/r/actions'
    for (const person of [given.ann, given.root]) expect(await callAll(person.client, level)).toEqual(DONE)
    for (const person of [given.bob, given.writer, given.collaborator, given.lead])
      expect(await callAll(person.client, level), person.name).toEqual(refused(403, OWNER_OF_REPO))
    expect(await callAll(given.server.anonymous, level)).toEqual(refused(401, 'token is required'))
  })

  it('of a repository of an organization: its owners and teams with the permission admin', async () => {
    const level = '/repos/guild/shop/actions'
    for (const person of [given.ann, given.lead, given.root])
      expect(await callAll(person.client, level), person.name).toEqual(DONE)
    for (const person of [given.bob, given.member])
      expect(await callAll(person.client, level), person.name).toEqual(refused(403, OWNER_OF_REPO))
  })

  it('of a hidden repository: for other users it does not exist', async () => {
    const level = '/repos/ann/hid/actions'
    for (const client of [given.bob.client, given.server.anonymous])
      expect(await callAll(client, level)).toEqual(refused(404))
    expect(await callAll(given.ann.client, level)).toEqual(DONE)
  })

  it('of an organization: its owners and site administrators', async () => {
    const level = '/orgs/guild/actions'
    for (const person of [given.ann, given.root]) expect(await callAll(person.client, level)).toEqual(DONE)
    for (const person of [given.bob, given.lead, given.member])
      expect(await callAll(person.client, level), person.name).toEqual(refused(403, OWNER_OF_ORG))
    expect(await callAll(given.server.anonymous, level)).toEqual(refused(401, 'token is required'))
    expect(await callAll(given.bob.client, '/orgs/missing/actions')).toEqual(refused(404))
  })

  it('of a user: only the user', async () => {
    for (const person of [given.ann, given.bob, given.root])
      expect(await callAll(person.client, '/user/actions')).toEqual(DONE)
    expect(await callAll(given.server.anonymous, '/user/actions')).toEqual(refused(401, 'token is required'))
    await given.bob.client.put('/user/actions/secrets/OF_BOB', { data: 'x' })
    await given.bob.client.post('/user/actions/variables/OF_BOB', { value: 'x' })
    expect((await given.ann.client.get('/user/actions/secrets')).json).toEqual([])
    expect((await given.ann.client.delete('/user/actions/secrets/OF_BOB')).status).toBe(404)
    expect((await given.ann.client.get('/user/actions/variables/OF_BOB')).status).toBe(404)
  })

  describe.each(LEVELS)('%s', (level) => {
    it('needs a token with the scope of the level', async () => {
      const [scope, other] = SCOPES[level]
      expect(await callAll(await given.ann.withToken(`write:${scope}`), level)).toEqual(DONE)
      const answers = await callAll(await given.ann.withToken(`write:${other}`), level)
      expect(answers.map(([status]) => status)).toEqual(Array(8).fill(403))
      const reading = await callAll(await given.ann.withToken(`read:${scope}`), level)
      expect(reading.map(([status]) => status)).toEqual([403, 200, 403, 403, 200, 404, 403, 403])
    })
  })
})
