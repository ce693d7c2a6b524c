import { beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import type { Person } from '../harness/world.ts'
import { commitFile, createPull, pullWorld } from './pull-world.ts'

const LIST = '/repos/ann/app/pulls'

describeOnBoth('pull requests from forks', (kind) => {
  const world = pullWorld({ on: kind })
  let cat: Person
  let dan: Person
  beforeAll(async () => {
    cat = await world.server.world.user('cat')
    dan = await world.server.world.user('dan')
    expect((await cat.client.post('/repos/bob/app/forks', { name: 'copy' })).status).toBe(202)
    await world.server.world.repo({ owner: world.ann, name: 'closed', isPrivate: true, autoInit: true })
    for (const [name, permission] of [
      ['wes', 'write'],
      ['dan', 'read'],
    ])
      await world.ann.client.put(`/repos/ann/closed/collaborators/${name}`, { permission })
    expect((await dan.client.post('/repos/ann/closed/forks', {})).status).toBe(202)
    await commitFile(dan, { branch: 'secret', from: 'main', repo: 'dan/closed' })
  })

  it('can come from forks of forks, in both directions', async () => {
    const first = await commitFile(cat, { branch: 'far', from: 'main', repo: 'cat/copy' })
    const up = await createPull(cat, { head: 'cat:far', allow_maintainer_edit: true })
    expect(up).toMatchObject({
      mergeable: true,
      changed_files: 1,
      head: { sha: first, repo: { full_name: 'cat/copy' } },
    })
    const write = (who: Person, branch: string) =>
      who.client.post(`/repos/cat/copy/contents/of-${who.name}`, { content: '', branch })
    for (const [who, branch, status] of [
      [world.eve, 'far', 403],
      [world.wes, 'main', 403],
      [world.wes, 'far', 201],
    ] as const)
      expect((await write(who, branch)).status, `${who.name} ${branch}`).toBe(status)
    await cat.client.patch(`${LIST}/${up.number}`, { allow_maintainer_edit: false })
    expect(await write(world.wes, 'far')).toMatchObject({
      status: 403,
      json: { message: 'user should have a permission to write to the target branch' },
    })
    const second = await commitFile(cat, { branch: 'far', path: 'far2.txt', repo: 'cat/copy' })
    await world.server.drain()
    expect((await world.eve.client.get(`${LIST}/main/cat/copy:far`)).json).toMatchObject({
      number: up.number,
      head: { sha: second },
      merge_base: up.merge_base,
    })
    const down = { head: 'ann:main', base: 'far', title: 'From the root' }
    await commitFile(world.ann, { branch: 'main', path: 'root.txt' })
    expect((await cat.client.post('/repos/cat/copy/pulls', down)).json).toMatchObject({ changed_files: 1 })
    expect((await world.wes.client.post(`${LIST}/${up.number}/merge`, { Do: 'rebase' })).status).toBe(200)
    const other = await world.server.world.repo({ owner: cat, name: 'other', autoInit: true })
    const across = { head: `cat/${other.name}:main`, base: 'main', title: 'Another network' }
    expect((await cat.client.post(LIST, across)).status).toBe(400)
  })

  it('that are hidden are reported as missing', async () => {
    const answers = async (owner: string) => {
      const { client } = world.wes
      const heads = [`${owner}:secret`, `${owner}/closed:secret`, `${owner}:none`]
      const calls = [
        ...heads.map((head) => client.post('/repos/ann/closed/pulls', { head, base: 'main', title: 'Hidden' })),
        ...heads.map((head) => client.get(`/repos/ann/closed/pulls/main/${head}`)),
        ...heads.map((head) => client.get(`/repos/ann/closed/compare/main...${head}`)),
      ]
      return (await Promise.all(calls)).map(({ status, text, headers }) => ({
        status,
        text: text.replaceAll(owner, 'X'),
        reason: headers.get('x-ingot-message')?.replaceAll(owner, 'X'),
      }))
    }
    const missing = await answers('eve')
    expect(missing.map(({ status }) => status)).toEqual([400, 400, 400, 404, 404, 404, 400, 400, 400])
    expect(await answers('dan')).toEqual(missing)
    await createPull(dan, { head: 'dan:secret' }, 'ann/closed')
  })
})
