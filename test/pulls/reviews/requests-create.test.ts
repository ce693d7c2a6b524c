import { expect, it } from 'vitest'
import { asId } from '../../../src/core/platform/crypto/ids.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { queriesOf } from '../../harness/queries.ts'
import { commitFile } from '../pull-world.ts'
import { openPull, requestEntries, requestWorld, reviewersIn, reviewersOf } from './request-world.ts'

describeOnBoth('a pull request that is created with reviewers', (kind) => {
  const world = requestWorld({ on: kind })
  const create = (body: object, repo = 'ann/app') =>
    world.wes.client.post(`/repos/${repo}/pulls`, { base: 'main', title: 'A title', ...body })

  it('shows them at once, and in lists', async () => {
    const pull = await openPull(world.wes, 'asked', { reviewers: ['ANN', 'bob', 'ann'] })
    expect(reviewersIn(pull)).toEqual(['ann', 'bob'])
    expect(pull).not.toHaveProperty('review_comments')
    expect(await requestEntries(world.eve, pull.number)).toEqual([
      ['wes', 'ann'],
      ['wes', 'bob'],
    ])
    const { json } = await world.eve.client.get('/repos/ann/app/pulls?sort=oldest')
    expect(json.map(reviewersIn)).toContainEqual(['ann', 'bob'])
    // NOTE: ann watches the repository, too.
    const { read } = world.server.app.database
    const threads = read.selectFrom('notification').select('reason').where('user_id', '=', asId(world.ann.user.id))
    expect(await threads.execute()).toEqual([{ reason: 'review-requested' }])
  })

  it('counts empty names as absent', async () => {
    const pull = await openPull(world.wes, 'noname', { reviewers: [''], team_reviewers: [''], assignees: [''] })
    expect([reviewersIn(pull), pull.assignees]).toEqual([[], []])
    const path = `/repos/ann/app/pulls/${pull.number}`
    expect((await world.wes.client.patch(path, { assignees: [''] })).json.assignees).toEqual([])
    const asked = await world.wes.client.post(`${path}/requested_reviewers`, {
      reviewers: ['', 'bob'],
      team_reviewers: [''],
    })
    expect([asked.status, asked.json.length]).toEqual([201, 1])
  })

  it('accepts e-mail addresses, and teams with their organization', async () => {
    const pull = await openPull(world.wes, 'byname', {
      repo: 'acme/lib',
      reviewers: [world.eve.user.email],
      team_reviewers: ['Core', 'core'],
    })
    expect(reviewersIn(pull)).toEqual(['eve', 'core'])
    expect(pull.requested_reviewers_teams[0].organization).toMatchObject({ username: 'acme' })
    expect(await requestEntries(world.eve, pull.number, 'acme/lib')).toEqual([
      ['wes', 'eve'],
      ['wes', 'core'],
    ])
  })

  it('ignores teams when the owner is a user', async () => {
    expect(reviewersIn(await openPull(world.wes, 'teamless', { team_reviewers: ['nobody'] }))).toEqual([])
  })

  it('is not created when one of the reviewers cannot be requested', async () => {
    await commitFile(world.wes, { branch: 'refused', from: 'main' })
    await commitFile(world.wes, { branch: 'refused', from: 'main', repo: 'acme/lib' })
    const refused = async (body: object, status: number, text: string, repo?: string): Promise<void> => {
      const answer = await create({ head: 'refused', ...body }, repo)
      expect([answer.status, answer.json.message ?? answer.headers.get('x-ingot-message')]).toEqual([
        status,
        expect.stringContaining(text),
      ])
    }
    await refused({ reviewers: ['ann', 'nobody'] }, 404, "User 'nobody' not exist")
    await refused({ reviewers: ['ann', 'no@example.test'] }, 404, "User 'no@example.test' not exist")
    await refused({ team_reviewers: ['core', 'nobody'] }, 404, "Team 'nobody' not exist", 'acme/lib')
    await refused({ reviewers: ['ann', 'wes'] }, 422, "poster of pr can't be reviewer [user_id: ")
    await refused({ reviewers: ['ann', 'acme'] }, 422, "Organization can't be added as reviewer [user_id: ")
    expect((await create({ head: 'refused', reviewers: Array.from({ length: 1001 }, () => 'ann') })).status).toBe(422)
    const pull = await create({ head: 'refused', reviewers: [] })
    expect(pull.status, 'nothing was created before').toBe(201)
  })

  it('is not created by an account that one of the reviewers blocks', async () => {
    const max = await world.server.world.user('max')
    expect((await max.client.put('/user/blocks/wes')).status).toBe(204)
    await commitFile(world.wes, { branch: 'blocked', from: 'main' })
    const answer = await create({ head: 'blocked', reviewers: ['ann', 'max'] })
    expect(answer.status).toBe(403)
    expect((await create({ head: 'blocked', reviewers: ['ann'] })).status).toBe(201)
  })

  it('runs the same number of queries for any number of pull requests', async () => {
    const { database } = world.server.app
    const count = async (limit: number): Promise<number> => {
      const list = world.eve.client.get.bind(undefined, `/repos/ann/app/pulls?limit=${limit}`)
      expect((await list()).json).toHaveLength(limit)
      // The commit invalidates the read cache.
      expect((await world.ann.client.patch('/repos/ann/app', { description: `${limit}` })).status).toBe(200)
      return (await queriesOf(database, list)).length
    }
    await openPull(world.wes, 'counted', { reviewers: ['bob', 'eve'] })
    const few = await count(2)
    expect(few).toBeGreaterThan(0)
    expect(await count(4)).toBe(few)
  })

  it('no longer shows an account that was deleted', async () => {
    const leo = await world.server.world.user('leo')
    const { number } = await openPull(world.wes, 'leaving', { reviewers: ['leo', 'bob'] })
    const root = await world.server.world.admin()
    expect((await root.client.delete(`/admin/users/${leo.name}`)).status).toBe(204)
    expect(await reviewersOf(world.eve, number)).toEqual(['bob'])
  })
})
