import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { type ServerWorld, startServerWorld } from './server-world.ts'

const TIMEOUT = 120_000
const base64 = (text: string): string => Buffer.from(text).toString('base64')

describeOnBoth('a second ingot import server, of what no list of changes shows,', (on) => {
  let world: ServerWorld
  const ours = async (path: string): Promise<Any> => (await world.admin.client.get(path)).json
  const must = async (method: 'delete' | 'patch' | 'post' | 'put', path: string, body?: object): Promise<Any> => {
    const { status, json, text } = await world.ann.client[method](path, body)
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(400)
    return json
  }
  const verify = async (...args: string[]): Promise<string> => (await world.run('verify', ...args)).stdout

  beforeAll(async () => {
    world = await startServerWorld(on)
    for (let number = 3; number < 10; number++)
      await must('post', '/repos/ann/desk/issues', { title: `issue ${number}` })
    expect((await world.run('server')).code).toBe(0)
  }, TIMEOUT)
  afterAll(() => world.close())

  it(
    'imports changed variables and webhooks, and deletes deleted ones',
    async () => {
      const { admin } = world
      const places = ['/user', '/orgs/guild', '/repos/ann/desk']
      const variable = (place: string, name: string): string => `${place}/actions/variables/${name}`
      const hooks = new Map<string, Any>()
      for (const place of places) {
        await must('post', variable(place, 'KEPT'), { value: 'one' })
        await must('post', variable(place, 'GONE'), { value: 'two' })
        for (const name of ['kept', 'gone'])
          hooks.set(
            `${name} ${place}`,
            await must('post', `${place}/hooks`, {
              type: 'gitea',
              config: { url: `https://${name}.test/`, content_type: 'json' },
              events: ['push'],
            }),
          )
      }
      expect((await world.run('server')).code).toBe(0)
      expect(await verify()).toContain(' 0 differences')
      const here = async (place: string, list: string): Promise<Any[]> => ours(`${place}/${list}?sudo=ann`)
      const keptHook = async (place: string): Promise<Any> =>
        (await here(place, 'hooks')).find(({ config }) => config.url === 'https://kept.test/')
      const active = await keptHook(places[0]!)
      const activation = { config: { secret: 'entered' }, active: true }
      expect((await admin.client.patch(`/user/hooks/${active.id}?sudo=ann`, activation)).status).toBe(200)
      for (const place of places)
        expect((await admin.client.post(`${variable(place, 'OWN')}?sudo=ann`, { value: 'here' })).status).toBe(201)
      for (const place of places) {
        await must('put', variable(place, 'KEPT'), { value: 'three' })
        await must('delete', variable(place, 'GONE'))
        await must('patch', `${place}/hooks/${hooks.get(`kept ${place}`).id}`, { events: ['push', 'release'] })
        await must('delete', `${place}/hooks/${hooks.get(`gone ${place}`).id}`)
      }
      const before = await verify()
      for (const name of ['ann', 'guild', 'ann/desk'])
        for (const line of ['webhooks: gitea, https://gone.test/', 'variables: GONE', 'variables: KEPT'])
          expect(before).toContain(`${name}: ${line}`)
      const { code, stdout } = await world.run('server')
      expect(code, stdout).toBe(0)
      for (const name of ['ann', 'guild', 'ann/desk'])
        for (const line of [`variable GONE of ${name}`, `hook https://gone.test/ of ${name}`])
          expect(stdout.split('Deleted, as at the other server:')[1]).toContain(`  ${line}\n`)
      for (const place of places) {
        const kept = await keptHook(place)
        expect([place, kept.events.toSorted(), kept.active]).toEqual([place, ['push', 'release'], place === '/user'])
        const variables = await here(place, 'actions/variables')
        const own = { '/user': 'COLOR', '/orgs/guild': 'PLACE', '/repos/ann/desk': 'SIZE' }[place]
        expect(new Set(variables.map(({ name }) => name))).toEqual(new Set([own, 'KEPT', 'OWN']))
        expect(variables).toHaveLength(3)
        expect(variables.find(({ name }) => name === 'KEPT').data).toBe('three')
        expect((await admin.client.delete(`${variable(place, 'OWN')}?sudo=ann`)).status).toBe(204)
      }
      expect(await verify()).toContain(' 0 differences')
    },
    TIMEOUT,
  )

  it(
    'reports changed reactions and comments of reviews, and imports them with --thorough',
    async () => {
      const desk = (method: 'delete' | 'patch' | 'post' | 'put', path: string, body?: object): Promise<Any> =>
        must(method, `/repos/ann/desk${path}`, body)
      await desk('post', '/contents/seen', { content: base64('a\nb'), branch: 'main', new_branch: 'seen' })
      const { number } = await desk('post', '/pulls', { title: 'seen', head: 'seen', base: 'main' })
      await desk('post', `/pulls/${number}/reviews`, {
        event: 'COMMENT',
        body: 'seen',
        comments: [{ path: 'seen', body: 'here', new_position: 1 }],
      })
      await desk('post', '/issues/8/labels', { labels: ['bug'] })
      const comment = await desk('post', '/issues/8/comments', { body: 'to react to' })
      expect((await world.run('server')).code).toBe(0)
      await desk('post', '/issues/7/reactions', { content: 'heart' })
      expect((await world.run('server', '--thorough')).code).toBe(0)
      expect(await verify('--thorough')).toContain(' 0 differences')

      await desk('delete', '/issues/7/reactions', { content: 'heart' })
      await desk('post', `/issues/comments/${comment.id}/reactions`, { content: 'rocket' })
      const [review] = (await world.ann.client.get(`/repos/ann/desk/pulls/${number}/reviews`)).json
      const [line] = (await world.ann.client.get(`/repos/ann/desk/pulls/${number}/reviews/${review.id}/comments`)).json
      await desk('patch', `/issues/comments/${line.id}`, { body: 'there' })
      await world.source.drain()
      expect(await verify()).toContain(' 0 differences')
      const before = await verify('--thorough')
      for (const text of ['reactions 7', 'reactions 8', `reviews ${number}`])
        expect(before).toContain(`ann/desk: ${text} differs`)
      const { code, stdout } = await world.run('server', '--thorough')
      expect([code, stdout], stdout).toEqual([0, expect.stringContaining('issues: 0 read, 2 written')])
      expect(await verify('--thorough')).toContain(' 0 differences')

      const labels: Any[] = (await world.ann.client.get('/repos/ann/desk/issues/8/labels')).json
      await desk('delete', `/issues/8/labels/${labels[0].id}`)
      await desk('delete', `/issues/comments/${comment.id}`)
      await desk('patch', '/issues/9', { ref: 'seen' })
      const changed = await verify()
      for (const text of ['issue 8 differs', 'comment 8 ', 'issue 9 differs'])
        expect(changed).toContain(`ann/desk: ${text}`)
      expect((await world.run('server')).code).toBe(0)
      expect(await verify()).toContain(' 0 differences')
    },
    TIMEOUT,
  )

  it(
    'imports assignees and pins, which verify compares',
    async () => {
      await must('patch', '/repos/ann/desk/issues/5', { assignees: ['bob'] })
      await must('post', '/repos/ann/desk/issues/6/pin')
      const before = await verify()
      for (const text of ['issue 5 differs', 'issue 6 differs', ' 2 differences']) expect(before).toContain(text)
      expect((await world.run('server')).code).toBe(0)
      expect(await ours('/repos/ann/desk/issues/5')).toMatchObject({ assignees: [{ login: 'bob' }] })
      expect(await ours('/repos/ann/desk/issues/6')).toMatchObject({ pin_order: 1 })
      expect(await verify()).toContain(' 0 differences')
    },
    TIMEOUT,
  )
})
