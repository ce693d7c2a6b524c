import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLogger } from '../../src/core/platform/logger.ts'
import { findWrongCounters } from '../harness/rows.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const CLIENTS = 10
const TURNS = 8

describeOnBoth('ten clients that change the same things at once', (on) => {
  let server: TestServer
  let people: Person[]
  const logged: string[] = []

  beforeAll(async () => {
    server = await startServer({
      on,
      log: createLogger(
        'error',
        new Writable({ write: (chunk, _, done) => (logged.push(String(chunk).slice(0, 1_500)), done()) }),
      ),
    })
    people = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => server.world.user(`u${i}`)))
    const owner = people[0]!
    await server.world.org('acme', { owner })
    await server.world.repo({ owner, name: 'r', autoInit: true })
  }, 60_000)
  afterAll(() => server.close())

  /** Every client at once, again and again; `turn` counts. Gives the answers that no client should see. */
  async function all(
    act: (person: Person, turn: number, index: number) => Promise<{ status: number; text: string }>,
  ): Promise<string[]> {
    const wrong: string[] = []
    await Promise.all(
      people.map(async (person, index) => {
        for (let turn = 0; turn < TURNS; turn++) {
          const { status, text } = await act(person, turn, index)
          if (status >= 500 || status === 429)
            wrong.push(`${status} ${text.slice(0, 200)} ${logged.splice(0).join(' ')}`)
        }
      }),
    )
    return wrong
  }

  const countsAgree = async (): Promise<void> => {
    expect(await findWrongCounters(server.app.database.read)).toEqual([])
  }

  /** One person's own thing, from ten connections at once. */
  it.each([
    ['a star', '/user/starred/u0/r', undefined],
    ['a watch', '/repos/u0/r/subscription', undefined],
    ['a follow', '/user/following/u0', undefined],
  ])('toggle %s of one account', async (_, path, body) => {
    const one = people[1]!.client
    expect(await all((__, turn, index) => ((turn + index) % 2 === 0 ? one.put(path, body) : one.delete(path)))).toEqual(
      [],
    )
    await countsAgree()
  })

  it.each([
    ['stars', '/user/starred/u0/r'],
    ['watches', '/repos/u0/r/subscription'],
    ['follows', '/user/following/u0'],
  ])('toggle %s of all accounts', async (_, path) => {
    expect(await all(({ client }, turn) => (turn % 2 === 0 ? client.put(path) : client.delete(path)))).toEqual([])
    await countsAgree()
  })

  it('toggle the same collaborator, topic, team and block', async () => {
    const owner = people[0]!.client
    const paths = ['/repos/u0/r/collaborators/u5', '/repos/u0/r/topics/same', '/orgs/acme/members/u5', '/user/block/u9']
    expect(
      await all((_, turn, index) => {
        const path = paths[index % 3 === 2 ? 3 : index % 2]!
        return turn % 2 === 0
          ? owner.put(path, path.includes('collaborators') ? { permission: 'write' } : undefined)
          : owner.delete(path)
      }),
    ).toEqual([])
    await countsAgree()
  })

  it('make and delete the same branch, release, token, key, hook and repository', async () => {
    const owner = people[0]!.client
    expect(
      await all((_, turn, index) => {
        const create = turn % 2 === 0
        switch (index % 5) {
          case 0:
            return create
              ? owner.post('/repos/u0/r/branches', { new_branch_name: 'same' })
              : owner.delete('/repos/u0/r/branches/same')
          case 1:
            return create
              ? owner.post('/repos/u0/r/releases', { tag_name: 'v1', target_commitish: 'main' })
              : owner.delete('/repos/u0/r/releases/tags/v1')
          case 2:
            return create
              ? owner.post('/users/u0/tokens', { name: 'same', scopes: ['all'] })
              : owner.delete('/users/u0/tokens/same')
          case 3:
            return create
              ? owner.post('/user/repos', { name: 'same', auto_init: true })
              : owner.delete('/repos/u0/same')
          default:
            return create ? owner.post('/repos/u0/r/forks', { organization: 'acme' }) : owner.delete('/repos/acme/r')
        }
      }),
    ).toEqual([])
    await server.drain()
    await countsAgree()
  }, 60_000)

  it('commit to the same branch: each commit is there or was refused as outdated', async () => {
    let written = 0
    const owner = people[0]!.client
    expect(
      await all(async (_, turn, index) => {
        const answer = await owner.post(`/repos/u0/r/contents/f-${index}-${turn}.txt`, {
          content: 'eA==',
          branch: 'main',
        })
        if (answer.status === 201) written++
        else expect([409, 422]).toContain(answer.status)
        return answer
      }),
    ).toEqual([])
    const files = (await owner.get('/repos/u0/r/contents')).json.filter(({ name }: { name: string }) =>
      name.startsWith('f-'),
    )
    expect(files).toHaveLength(written)
    await server.drain()
    await countsAgree()
  }, 60_000)
})
