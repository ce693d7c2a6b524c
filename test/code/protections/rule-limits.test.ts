import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

const MAX_RULES = 100

describe('the rules of a repository', () => {
  let server: TestServer
  let ann: Person
  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    await server.world.repo({ owner: ann, name: 'r' })
  })
  afterAll(() => server.close())

  it.each([
    ['branch', (name: string) => ({ rule_name: name })],
    ['tag', (name: string) => ({ name_pattern: name, whitelist_usernames: ['ann'] })],
  ])('are at most 100 for each %s', async (kind, body) => {
    const path = `/repos/ann/r/${kind}_protections`
    for (let index = 0; index < MAX_RULES; index++)
      expect((await ann.client.post(path, body(`v${index}`))).status).toBe(201)
    expect(await ann.client.post(path, body('more'))).toMatchObject({
      status: 422,
      json: { message: `a repository has at most 100 ${kind} protections` },
    })
    expect((await ann.client.get(path)).json).toHaveLength(MAX_RULES)
  })

  it('name required checks with at most 20,000 characters in total', async () => {
    await server.world.repo({ owner: ann, name: 'checks' })
    const path = '/repos/ann/checks/branch_protections'
    const contexts = Array.from({ length: 20 }, () => 'c'.repeat(1000))
    const [fits, tooLong] = [contexts, [...contexts, 'c']].map((status_check_contexts) => ({ status_check_contexts }))
    const refusal = { status: 422, json: { message: expect.stringContaining('[StatusCheckContexts]') } }
    expect(await ann.client.post(path, { rule_name: 'main', ...tooLong })).toMatchObject(refusal)
    expect((await ann.client.post(path, { rule_name: 'main', ...fits })).status).toBe(201)
    expect(await ann.client.patch(`${path}/main`, tooLong)).toMatchObject(refusal)
  })
})
