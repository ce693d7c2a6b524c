import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { basicAuth, forgeWorld } from './forge-world.ts'
import { migrate } from './import-world.ts'

describe('issues imported from another server of this kind', () => {
  const given = forgeWorld({ 'ui.reactions': 'heart,codeberg' })
  let source: TestServer
  let sue: Person

  beforeAll(async () => {
    source = await startServer({ settings: { 'ui.reactions': 'heart,codeberg,gitea' } })
    sue = await source.world.user('sue')
    await source.world.repo({ owner: sue, name: 'desk', autoInit: true, isPrivate: true })
  })
  afterAll(() => source.close())

  async function send(person: Person, method: string, path: string, body?: object | FormData): Promise<Any> {
    const isForm = body instanceof FormData
    const answer = await fetch(`${source.url}/api/v1/repos/sue/desk${path}`, {
      method,
      headers: { authorization: basicAuth(person), ...(!isForm && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    expect(answer.ok, `${method} ${path} ${text}`).toBe(true)
    return text === '' ? undefined : JSON.parse(text)
  }

  async function attach(path: string, name: string, content: string): Promise<Any> {
    const form = new FormData()
    form.set('attachment', new Blob([content]), name)
    return send(sue, 'POST', `${path}/assets`, form)
  }

  it('have copies of their files, and texts with the addresses of the copies', async () => {
    await send(sue, 'POST', '/issues', { title: 'First' })
    const file = await attach('/issues/1', 'notes.txt', 'the notes')
    await send(sue, 'PATCH', '/issues/1', { body: `see ${file.browser_download_url} and /attachments/${file.uuid}.` })
    const comment = await send(sue, 'POST', '/issues/1/comments', { body: 'A comment' })
    const more = await attach(`/issues/comments/${comment.id}`, 'more.txt', 'more')
    await send(sue, 'PATCH', `/issues/comments/${comment.id}`, { body: `![](/attachments/${more.uuid})` })

    const answer = await migrate(given.tom, {
      clone_addr: `${source.url}/sue/desk.git`,
      repo_name: 'desk',
      service: 'gitea',
      auth_username: 'sue',
      auth_password: PASSWORD,
      issues: true,
    })
    expect(answer.status, JSON.stringify(answer.json)).toBe(201)
    expect(answer.headers.get('x-ingot-warning')).toBeNull()
    const { body, assets } = (await given.tom.client.get('/repos/tom/desk/issues/1')).json
    expect(assets).toMatchObject([{ name: 'notes.txt', created_at: file.created_at }])
    const [{ browser_download_url: address, uuid }] = assets
    expect(uuid).not.toBe(file.uuid)
    expect(body).toBe(`see ${address} and ${address}.`)
    expect(await (await fetch(address)).text()).toBe('the notes')
    const comments = (await given.tom.client.get('/repos/tom/desk/issues/1/comments')).json
    expect(comments).toMatchObject([{ original_author: 'sue', assets: [{ name: 'more.txt' }] }])
    expect(comments[0].body).toBe(`![](${comments[0].assets[0].browser_download_url})`)
  })

  it('have the reactions that this server accepts, including custom ones', async () => {
    const { number } = await send(sue, 'POST', '/issues', { title: 'Custom' })
    for (const content of ['codeberg', 'gitea']) await send(sue, 'POST', `/issues/${number}/reactions`, { content })
    const answer = await migrate(given.tom, {
      clone_addr: `${source.url}/sue/desk.git`,
      repo_name: 'custom',
      service: 'gitea',
      auth_username: 'sue',
      auth_password: PASSWORD,
      issues: true,
    })
    expect(answer.status, answer.text).toBe(201)
    const reactions: Any[] = (await given.tom.client.get(`/repos/tom/custom/issues/${number}/reactions`)).json
    expect(reactions.map(({ content }) => content)).toEqual(['codeberg'])
  })

  it('have reactions that name the service once, also those that are imported a second time', async () => {
    await send(sue, 'POST', '/issues/1/reactions', { content: 'heart' })
    const from = async (source: string, owner: Person, name: string): Promise<Any> => {
      const answer = await migrate(given.tom, {
        clone_addr: `${source}/${owner.name}/${name}.git`,
        repo_name: `${name}-again`,
        service: 'gitea',
        auth_username: owner.name,
        auth_password: PASSWORD,
        issues: true,
      })
      expect(answer.status, answer.text).toBe(201)
      return (await given.tom.client.get(`/repos/tom/${name}-again/issues/1/reactions`)).json
    }
    const named = [{ user: { id: 0, login: 'sue(gitea)' }, content: 'heart' }]
    expect(await from(source.url, sue, 'desk')).toMatchObject(named)
    expect(await from(given.target.url, given.tom, 'desk-again')).toMatchObject(named)
  })

  it('are imported without their dependencies on issues of other repositories, which the warnings name', async () => {
    await source.world.repo({ owner: sue, name: 'chair' })
    expect((await sue.client.post('/repos/sue/chair/issues', { title: 'Elsewhere' })).status).toBe(201)
    await send(sue, 'POST', '/issues', { title: 'Second' })
    for (const other of [
      { repo: 'desk', index: 2 },
      { repo: 'chair', index: 1 },
    ])
      await send(sue, 'POST', '/issues/1/dependencies', { owner: 'sue', ...other })
    const answer = await migrate(given.tom, {
      clone_addr: `${source.url}/sue/desk.git`,
      repo_name: 'dependent',
      service: 'gitea',
      auth_username: 'sue',
      auth_password: PASSWORD,
      issues: true,
    })
    expect(answer.status, answer.text).toBe(201)
    const dependencies: Any[] = (await given.tom.client.get('/repos/tom/dependent/issues/1/dependencies')).json
    expect(dependencies.map(({ number }) => number)).toEqual([2])
    const [{ id }] = (await given.tom.client.get('/repos/migrations')).json
    expect((await given.tom.client.get(`/repos/migrations/${id}`)).json).toMatchObject({
      warnings: ['a dependency of issue 1 was not imported: sue/chair#1 is in another repository'],
      warnings_count: 1,
    })
  })
})
