import { beforeAll, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Organization, Person } from '../../harness/world.ts'
import { createIssue, issueWorld } from '../issue-world.ts'

describeOnBoth('mentions', (kind) => {
  const world = issueWorld({ on: kind })
  let [cyd, tim] = [] as unknown as [Person, Person]
  let guild: Organization
  let noticed: string[] = []

  beforeAll(async () => {
    const { world: make, app } = world.server
    ;[cyd, tim] = [await make.user('cyd'), await make.user('tim')]
    guild = await make.org('guild')
    const hall = await make.repo({ owner: guild.org, by: guild.owner, name: 'hall', isPrivate: true, autoInit: true })
    await guild.team('Readers', { members: [tim, cyd], units: ['repo.issues'], repos: [hall] })
    await guild.team('Coders', { members: [world.bob], units: ['repo.code'], repos: [hall] })
    const names = new Map([world.ann, world.wes, world.bob, cyd, tim].map(({ user, name }) => [user.id, name]))
    app.issueNotices.register(async (_tx, { userIds, reason, commentId }) => {
      if (reason === 'mentioned')
        noticed.push(...userIds.map((id) => `${names.get(id)} in ${commentId === undefined ? 'issue' : 'comment'}`))
    })
  })

  /** The users who were notified of mentions since the last call. */
  const takeNoticed = (): string[] => {
    const taken = noticed.toSorted()
    noticed = []
    return taken
  }
  const mentioning = async (name: string): Promise<number[]> =>
    ((await world.ann.client.get(`/repos/ann/desk/issues?mentioned_by=${name}`)).json as Any[]).map(
      (issue) => issue.number,
    )
  const comment = (person: Person, number: number, body: string) =>
    person.client.post(`/repos/ann/desk/issues/${number}/comments`, { body })

  it('notify of issues and comments that are created', async () => {
    const { number } = await createIssue(world.ann, { body: '@bob, @nobody, @guild and `@cyd`' })
    expect(takeNoticed()).toEqual(['bob in issue'])
    expect(await mentioning('bob')).toEqual([number])
    expect(await mentioning('cyd')).toEqual([])
    expect((await comment(world.ann, number, 'cc @Cyd @bob')).status).toBe(201)
    expect(takeNoticed()).toEqual(['bob in comment', 'cyd in comment'])
    expect(await mentioning('cyd')).toEqual([number])
    await world.server.drain()
    const threads = (await cyd.client.get('/notifications')).json as Any[]
    expect(threads.map(({ subject }) => subject.url)).toEqual([
      `${world.server.url}/api/v1/repos/ann/desk/issues/${number}`,
    ])
  })

  it('do not notify of edits or titles, nor the author and users who block the author', async () => {
    const { number } = await createIssue(world.wes, { title: '@bob', body: '@wes' })
    await world.wes.client.patch(`/repos/ann/desk/issues/${number}`, { body: '@bob' })
    expect((await cyd.client.put('/user/blocks/wes')).status).toBe(204)
    expect((await comment(world.wes, number, '@cyd @tim')).status).toBe(201)
    expect(takeNoticed()).toEqual(['tim in comment'])
    expect((await cyd.client.delete('/user/blocks/wes')).status).toBe(204)
  })

  it('notify only users who can read, and teams of the owner with access to the unit', async () => {
    const mention = (body: string) => createIssue(guild.owner, { body }, 'guild/hall')
    await mention('@ann @bob @guild/coders @guild/none @other/readers')
    expect(takeNoticed()).toEqual([])
    await mention('@tim @Guild/readers')
    expect(takeNoticed()).toEqual(['cyd in issue', 'tim in issue'])
  })
})
