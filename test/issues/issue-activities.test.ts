import { beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import type { Person } from '../harness/world.ts'
import { createIssue, issueWorld } from './issue-world.ts'

describeOnBoth('activities on issues', (kind) => {
  const world = issueWorld({ on: kind })
  const FEED = '/repos/ann/desk/activities/feeds'

  /** Activities on issues of the repository, the oldest first, as `kind actor content`. */
  const feed = async (person: Person, path = FEED): Promise<string[]> => {
    const { json, headers } = await person.client.get(path)
    expect(headers.get('x-total-count'), path).toBe(String(json.length))
    return (json as Any[])
      .filter(({ op_type: type }) => type.endsWith('_issue'))
      .map(({ op_type: type, act_user: { login }, content }) => `${type} ${login} ${content}`)
      .toReversed()
  }

  it('are in feeds at once, with the number and a text', async () => {
    const { number } = await createIssue(world.bob, { title: 'First | thing' })
    const issue = `/repos/ann/desk/issues/${number}`
    const { json: comment } = await world.wes.client.post(`${issue}/comments`, { body: 'a remark' })
    await world.ann.client.patch(issue, { state: 'closed' })
    await world.ann.client.patch(issue, { state: 'open' })
    expect(await feed(world.ann)).toEqual([
      `create_issue bob ${number}|First | thing`,
      `comment_issue wes ${number}|a remark`,
      `close_issue ann ${number}|First | thing`,
      `reopen_issue ann ${number}|First | thing`,
    ])
    const commented = ((await world.ann.client.get(FEED)).json as Any[]).find(
      ({ op_type: type }) => type === 'comment_issue',
    )
    expect(commented).toMatchObject({ comment_id: comment.id, comment: { id: comment.id, body: 'a remark' } })
    expect(commented.comment.issue_url).toBe(`${world.server.url}/ann/desk/issues/${number}`)
    expect(await feed(world.bob, '/users/wes/activities/feeds?only-performed-by=true')).toEqual([
      `comment_issue wes ${number}|a remark`,
    ])
    const heatmap = (await world.bob.client.get('/users/wes/heatmap')).json as Any[]
    expect(heatmap.reduce((sum, { contributions }) => sum + contributions, 0)).toBe(1)
  })

  it('are updated with the text of a comment, and deleted with comment and issue', async () => {
    const { number } = await createIssue(world.bob, { title: 'Another' })
    const { json: comment } = await world.bob.client.post(`/repos/ann/desk/issues/${number}/comments`, {
      body: 'secret',
    })
    const one = `/repos/ann/desk/issues/comments/${comment.id}`
    await world.bob.client.patch(one, { body: 'é'.repeat(300) })
    expect(await feed(world.bob)).toContain(`comment_issue bob ${number}|${'é'.repeat(200)}`)
    await world.bob.client.delete(one)
    const own = async () => (await feed(world.bob)).filter((entry) => entry.includes(` ${number}|`))
    expect(await own()).toEqual([`create_issue bob ${number}|Another`])
    expect((await world.ann.client.delete(`/repos/ann/desk/issues/${number}`)).status).toBe(204)
    expect(await own()).toEqual([])
  })
})

describeOnBoth('activities on issues of an organization', (kind) => {
  const world = issueWorld({ on: kind })
  let coder: Person
  const PATHS = ['/repos/guild/hall/activities/feeds', '/orgs/guild/activities/feeds']

  beforeAll(async () => {
    const { world: make } = world.server
    coder = await make.user('coder')
    const guild = await make.org('guild', { owner: world.ann })
    const hall = await make.repo({ owner: guild.org, by: world.ann, name: 'hall', isPrivate: true, autoInit: true })
    await guild.team('Coders', { members: [coder], units: ['repo.code'], repos: [hall] })
    await guild.team('Askers', { members: [world.bob], units: ['repo.issues'], repos: [hall] })
    await createIssue(world.ann, { title: 'Hidden' }, 'guild/hall')
  })

  it('are neither shown to nor counted for members who may not read issues', async () => {
    for (const path of PATHS) {
      const answers = [await coder.client.get(path), await world.bob.client.get(path)]
      expect(
        answers.map(({ text }) => text.includes('Hidden')),
        path,
      ).toEqual([false, true])
      for (const { json, headers } of answers)
        expect(headers.get('x-total-count'), path).toBe(String((json as Any[]).length))
    }
  })
})
