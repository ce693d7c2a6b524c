import { beforeAll, expect, it } from 'vitest'
import type { Any, Client, Response } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Person } from '../../harness/world.ts'
import { openPull, requestEntries, requestWorld, reviewersOf } from './request-world.ts'

describeOnBoth('requests for reviews', (kind) => {
  const world = requestWorld({ on: kind })
  let number: number
  let inOrg: number
  /** A collaborator of `ann/app` with read permission. */
  let cat: Person

  const pathOf = (pull: number, repo: string): string => `/repos/${repo}/pulls/${pull}/requested_reviewers`
  const ask = (client: Client, body: object, pull = number, repo = 'ann/app'): Promise<Response<Any>> =>
    client.post(pathOf(pull, repo), body)
  const withdraw = (client: Client, body: object, pull = number, repo = 'ann/app'): Promise<Response<Any>> =>
    client.delete(pathOf(pull, repo), body)
  const asked = ({ status, json }: Response<Any>): unknown => [
    status,
    json.map(({ user, team }: Any) => user?.login ?? team.name),
  ]
  /** The status and the message, or the reason of a 404. */
  const refusal = ({ status, json, headers }: Response<Any>): unknown => [
    status,
    status === 404 ? headers.get('x-ingot-message') : json.message,
  ]

  beforeAll(async () => {
    cat = await world.server.world.user('cat')
    expect((await world.ann.client.put('/repos/ann/app/collaborators/cat', { permission: 'read' })).status).toBe(204)
    number = (await openPull(world.wes, 'plain')).number
    inOrg = (await openPull(world.wes, 'plain', { repo: 'acme/lib' })).number
  })

  it('are created once: repeated requests are skipped', async () => {
    const { number: pull } = await openPull(world.wes, 'once')
    const first = await ask(world.wes.client, { reviewers: ['CAT', 'ann', 'cat'] }, pull)
    expect(asked(first)).toEqual([201, ['cat', 'ann']])
    expect(first.json[0]).toMatchObject({
      state: 'REQUEST_REVIEW',
      team: null,
      body: '',
      commit_id: '',
      official: false,
      stale: false,
      dismissed: false,
      comments_count: 0,
      html_url: '',
    })
    expect(first.json[1].official).toBe(true)
    expect(asked(await ask(world.wes.client, { reviewers: ['cat', 'eve'] }, pull))).toEqual([201, ['eve']])
    expect(asked(await ask(world.wes.client, {}, pull))).toEqual([201, []])
    expect(await reviewersOf(world.eve, pull)).toEqual(['cat', 'ann', 'eve'])
    expect(await requestEntries(world.eve, pull)).toEqual([
      ['wes', 'cat'],
      ['wes', 'ann'],
      ['wes', 'eve'],
    ])
  })

  it('are created once by concurrent clients', async () => {
    const { number: pull } = await openPull(world.wes, 'race')
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => ask((at % 2 ? world.wes : world.ann).client, { reviewers: ['cat'] }, pull)),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
    expect(answers.flatMap(({ json }) => json)).toHaveLength(1)
    expect(await requestEntries(world.eve, pull)).toHaveLength(1)
    const ended = await Promise.all(
      Array.from({ length: 8 }, () => withdraw(world.wes.client, { reviewers: ['cat'] }, pull)),
    )
    expect(ended.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 204))
    expect(await requestEntries(world.eve, pull)).toHaveLength(2)
  })

  it('can name teams of the organization', async () => {
    const answer = await ask(
      world.wes.client,
      { reviewers: [world.eve.user.email], team_reviewers: ['CORE'] },
      inOrg,
      'acme/lib',
    )
    expect(asked(answer)).toEqual([201, ['eve', 'core']])
    expect(answer.json[1]).toMatchObject({
      user: null,
      official: false,
      team: { organization: null, permission: 'none' },
    })
    expect(asked(await ask(world.wes.client, { team_reviewers: ['core'] }, inOrg, 'acme/lib'))).toEqual([201, []])
    expect(await reviewersOf(world.eve, inOrg, 'acme/lib')).toEqual(['eve', 'core'])
    const { json } = await world.eve.client.get(`/repos/acme/lib/pulls/${inOrg}`)
    const [team] = json.requested_reviewers_teams
    expect(team).toMatchObject({ name: 'core', permission: 'none', organization: { username: 'acme' } })
    expect((await withdraw(world.wes.client, { team_reviewers: ['core'] }, inOrg, 'acme/lib')).status).toBe(204)
    expect((await withdraw(world.wes.client, { team_reviewers: ['core'] }, inOrg, 'acme/lib')).status).toBe(204)
    expect(await reviewersOf(world.eve, inOrg, 'acme/lib')).toEqual(['eve'])
    expect(await requestEntries(world.eve, inOrg, 'acme/lib')).toEqual([
      ['wes', 'eve'],
      ['wes', 'core'],
      ['wes', 'core', 'removed'],
    ])
    expect(asked(await ask(world.ann.client, { team_reviewers: ['nobody'] }))).toEqual([201, []])
  })

  it('may be created by the owner, the author, collaborators and teams that read pull requests', async () => {
    const { ann, wes, eve, bob, server } = world
    const { number: mine } = await openPull(ann, 'rights')
    for (const person of [ann, wes, cat])
      expect((await ask(person.client, { reviewers: ['bob'] }, mine)).status).toBe(201)
    const site = await server.world.admin()
    const ids = (person: Person, repoId: number): string => `[user_id: ${person.user.id}, repo_id: ${repoId}]`
    const { id } = (await ann.client.get('/repos/ann/app')).json
    for (const person of [eve, bob, site]) {
      const answer = await ask(person.client, { reviewers: ['ann'] }, mine)
      expect(refusal(answer)).toEqual([422, `Doer can't choose reviewer ${ids(person, id)}`])
      expect(refusal(await withdraw(person.client, { reviewers: ['ann'] }, mine))).toEqual([
        422,
        `Doer can't remove reviewer ${ids(person, id)}`,
      ])
    }
    expect((await ask(server.anonymous, { reviewers: ['ann'] }, mine)).status).toBe(401)
    expect((await ask(wes.client, { reviewers: ['ann'] }, inOrg, 'acme/lib')).status).toBe(201)
    expect((await ask(bob.client, { reviewers: ['ann'] }, inOrg, 'acme/lib')).status).toBe(422)
  })

  it('do not reveal to others which teams and addresses exist', async () => {
    for (const body of [
      { reviewers: ['no@example.test'] },
      { reviewers: [cat.user.email] },
      { team_reviewers: ['nobody'] },
    ]) {
      expect(refusal(await ask(world.eve.client, body))).toEqual([422, expect.stringContaining("Doer can't choose")])
      expect(refusal(await withdraw(world.eve.client, body))).toEqual([
        422,
        expect.stringContaining("Doer can't remove"),
      ])
    }
  })

  it('are refused for unknown names before any request is created', async () => {
    const { number: pull } = await openPull(world.wes, 'unknown', { repo: 'acme/lib' })
    const body = { reviewers: ['ann', 'nobody'] }
    expect(refusal(await ask(world.wes.client, body, pull, 'acme/lib'))).toEqual([404, "User 'nobody' not exist"])
    const teams = { reviewers: ['ann'], team_reviewers: ['nobody'] }
    expect(refusal(await ask(world.wes.client, teams, pull, 'acme/lib'))).toEqual([404, "Team 'nobody' not exist"])
    expect(refusal(await withdraw(world.wes.client, teams, pull, 'acme/lib'))).toEqual([404, "Team 'nobody' not exist"])
    expect(await reviewersOf(world.eve, pull, 'acme/lib')).toEqual([])
    expect((await ask(world.wes.client, body, 999)).status).toBe(404)
  })

  it('are refused one by one: the earlier ones stay', async () => {
    const { number: pull } = await openPull(world.wes, 'partly')
    expect(refusal(await ask(world.wes.client, { reviewers: ['ann', 'wes', 'cat'] }, pull))).toEqual([
      422,
      expect.stringMatching(/^poster of pr can't be reviewer \[user_id: \d+, repo_id: \d+\]$/),
    ])
    expect(refusal(await ask(world.wes.client, { reviewers: ['acme'] }, pull))).toEqual([
      422,
      expect.stringMatching(/^Organization can't be added as reviewer \[/),
    ])
    expect(await reviewersOf(world.eve, pull)).toEqual(['ann'])
  })

  it('are refused for accounts that cannot read a private repository', async () => {
    const { ann, bob } = world
    const { number: pull } = await openPull(ann, 'hidden', { repo: 'acme/secret' })
    const refused = async (body: object, text: string): Promise<void> =>
      expect(refusal(await ask(ann.client, body, pull, 'acme/secret'))).toEqual([422, expect.stringContaining(text)])
    await refused({ reviewers: ['eve'] }, "Reviewer can't read [")
    await refused({ team_reviewers: ['core'] }, "Reviewing team can't read repo [")
    const body = { reviewers: ['bob'], team_reviewers: ['others'] }
    expect(asked(await ask(ann.client, body, pull, 'acme/secret'))).toEqual([201, ['bob', 'others']])
    expect((await ask(bob.client, {}, pull, 'acme/secret')).status).toBe(201)
    expect((await ask(world.eve.client, {}, pull, 'acme/secret')).status).toBe(404)
  })

  it('may be withdrawn by the requested reviewer', async () => {
    const { number: pull } = await openPull(world.wes, 'own')
    await ask(world.wes.client, { reviewers: ['eve', 'cat'] }, pull)
    expect((await withdraw(world.eve.client, { reviewers: ['eve', 'cat'] }, pull)).status).toBe(422)
    expect((await withdraw(world.eve.client, { reviewers: ['EVE'] }, pull)).status).toBe(204)
    expect((await withdraw(world.eve.client, { reviewers: ['eve'] }, pull)).status).toBe(204)
    expect(await reviewersOf(world.eve, pull)).toEqual(['cat'])
    expect(await requestEntries(world.eve, pull)).toEqual([
      ['wes', 'eve'],
      ['wes', 'cat'],
      ['eve', 'eve', 'removed'],
    ])
  })

  it('are refused when one of the accounts blocks the other', async () => {
    const max = await world.server.world.user('max')
    await max.client.put('/user/blocks/wes')
    const { number: pull } = await openPull(world.wes, 'blocked')
    expect((await ask(world.wes.client, { reviewers: ['max'] }, pull)).status).toBe(403)
    expect(asked(await ask(world.ann.client, { reviewers: ['max'] }, pull))).toEqual([201, ['max']])
    await world.wes.client.put('/user/blocks/cat')
    expect((await ask(cat.client, { reviewers: ['bob'] }, pull)).status).toBe(403)
    expect((await withdraw(cat.client, { reviewers: ['max'] }, pull)).status).toBe(403)
    await world.wes.client.delete('/user/blocks/cat')
    expect((await withdraw(cat.client, { reviewers: ['max'] }, pull)).status).toBe(204)
  })

  it('are limited in number', async () => {
    const many = Array.from({ length: 101 }, (_, at) => `user${at}`)
    expect((await ask(world.wes.client, { reviewers: many })).status).toBe(422)
    expect((await ask(world.wes.client, { reviewers: ['x'.repeat(2000)] })).status).toBe(422)
    expect((await ask(world.wes.client, { reviewers: [1] })).status).toBe(422)
  })

  it('are refused in an archived repository', async () => {
    const { ann, server } = world
    await server.world.repo({ owner: ann, name: 'old', autoInit: true })
    const { number: pull } = await openPull(ann, 'change', { repo: 'ann/old' })
    expect((await ann.client.patch('/repos/ann/old', { archived: true })).status).toBe(200)
    expect((await ask(ann.client, { reviewers: ['eve'] }, pull, 'ann/old')).status).toBe(422)
    expect((await withdraw(ann.client, { reviewers: ['eve'] }, pull, 'ann/old')).status).toBe(422)
  })
})
