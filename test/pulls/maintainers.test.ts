import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import type { TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { oracle } from '../core/git/fixture.ts'
import { git, tempDir, tryGit } from '../core/git/wire/client.ts'
import { commitFile, createPull, pullWorld } from './pull-world.ts'

const PULLS = '/repos/ann/app/pulls'
const TYPE = 'application/vnd.git-lfs+json'

interface Sender {
  readonly url: string
  /** The value of the header. */
  readonly authorization: string
}
const basic = ({ name }: Person): string => `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`

/** A request to the LFS endpoints of `bob/app`. */
const lfs = ({ url, authorization }: Sender, method: string, path: string, body: object | Buffer) =>
  fetch(`${url}/bob/app.git/info/lfs/${path}`, {
    method,
    headers: { accept: TYPE, 'content-type': TYPE, authorization },
    body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
  })

/** Pushes a new commit to a branch of `bob/app`; the exit code of the client. */
async function pushTo({ url }: TestServer, person: Person, branch: string, path: string): Promise<number | null> {
  const folder = tempDir()
  const remote = `${url.replace('//', `//${person.name}:${encodeURIComponent(PASSWORD)}@`)}/bob/app.git`
  try {
    await git(folder.path, ['clone', '-q', '-b', branch, remote, path])
    const work = `${folder.path}/${path}`
    oracle(work, ['commit', '-q', '--allow-empty', '-m', path])
    return (await tryGit(work, ['push', '-q', 'origin', `HEAD:${branch}`])).code
  } finally {
    folder.remove()
  }
}

describeOnBoth('the right of maintainers to edit the head of a fork', (kind) => {
  const world = pullWorld({ on: kind })
  let root: Person
  let numbers = [] as unknown as { readonly open: number; readonly own: number }
  beforeAll(async () => {
    root = await world.server.world.admin()
    for (const branch of ['open', 'own']) {
      const text = [1, 2, 3, 4, 5, 6, 7, 8].map((line) => `${line}\n`).join('')
      await commitFile(world.bob, { branch, from: 'main', path: 'n.txt', text, repo: 'bob/app' })
    }
    numbers = {
      open: (await createPull(world.bob, { head: 'bob:open', allow_maintainer_edit: true })).number,
      own: (await createPull(world.bob, { head: 'bob:own', allow_maintainer_edit: false })).number,
    }
  })
  afterAll(() => world.server.drain())

  let count = 0
  /** Uses the same right of wes in every possible way: each way's name, and whether it was allowed. */
  async function tries(): Promise<Record<string, boolean>> {
    const { client } = world.wes
    const at = ++count
    await commitFile(world.ann, { branch: 'main', path: `base${at}.txt` })
    const comment = {
      path: 'n.txt',
      body: `\`\`\`suggestion\nchanged ${at}\n\`\`\``,
      new_start_position: at,
      new_position: at,
    }
    const review = await world.ann.client.post(`${PULLS}/${numbers.open}/reviews`, {
      event: 'COMMENT',
      comments: [comment],
    })
    const [posted] = (await world.ann.client.get(`${PULLS}/${numbers.open}/reviews/${review.json.id}/comments`)).json
    const statuses = {
      contents: (await client.post(`/repos/bob/app/contents/by-wes${at}`, { content: '', branch: 'open' })).status,
      suggestion: (await client.post(`${PULLS}/comments/${posted.id}/apply`, {})).status,
      update: (await client.post(`${PULLS}/${numbers.open}/update`)).status,
      lfs: (await upload(world.wes, 'refs/heads/open')).status,
    }
    const granted = Object.entries(statuses).map(([name, status]) => [name, status < 300] as const)
    const isPushed = (await pushTo(world.server, world.wes, 'open', `try${at}`)) === 0
    return Object.fromEntries([...granted, ['push', isPushed]])
  }
  const all = (isGranted: boolean) => ({
    contents: isGranted,
    suggestion: isGranted,
    update: isGranted,
    lfs: isGranted,
    push: isGranted,
  })
  const bytes = Buffer.from('a large file')
  const object = { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length }
  const as = (person: Person): Sender => ({ url: world.server.url, authorization: basic(person) })
  const upload = (person: Person, ref?: string) =>
    lfs(as(person), 'POST', 'objects/batch', {
      operation: 'upload',
      objects: [object],
      ...(ref !== undefined && { ref: { name: ref } }),
    })

  it('is the same for pushes, files, updates, suggestions and large files', async () => {
    expect(await tries()).toEqual(all(true))
    await world.bob.client.patch(`${PULLS}/${numbers.open}`, { allow_maintainer_edit: false })
    expect(await tries()).toEqual(all(false))
    await world.bob.client.patch(`${PULLS}/${numbers.open}`, { allow_maintainer_edit: true })
  })

  it('is not delegated by an account that is suspended or inactive', async () => {
    for (const [suspended, restored] of [
      [{ prohibit_login: true }, { prohibit_login: false }],
      [{ active: false }, { active: true }],
    ] as const) {
      expect((await root.client.patch('/admin/users/bob', suspended)).status).toBe(200)
      expect(await tries(), JSON.stringify(suspended)).toEqual(all(false))
      expect((await root.client.patch('/admin/users/bob', restored)).status).toBe(200)
    }
    expect(await tries()).toEqual(all(true))
  })

  it('requires credentials for both repositories', async () => {
    await commitFile(world.ann, { branch: 'main', path: 'for-tokens.txt' })
    const update = async (repositories: readonly string[]): Promise<number> => {
      const body = { name: `of ${repositories.length}`, scopes: ['write:repository'], repositories }
      const { json } = await world.wes.client.post('/users/wes/tokens', body, { password: PASSWORD })
      const response = await fetch(`${world.server.url}/api/v1${PULLS}/${numbers.open}/update`, {
        method: 'POST',
        headers: { authorization: `token ${json.sha1}` },
      })
      return response.status
    }
    expect([await update(['ann/app']), await update(['ann/app', 'bob/app'])]).toEqual([403, 200])
  })

  it('covers large files of the branches concerned', async () => {
    const { wes, eve } = world
    const answers = async (person: Person): Promise<number[]> => {
      const refs = [undefined, 'refs/heads/open', 'refs/heads/own', 'refs/heads/main', 'refs/tags/open', 'open']
      return Promise.all(refs.map(async (ref) => (await upload(person, ref)).status))
    }
    expect(await answers(wes)).toEqual([200, 200, 401, 401, 401, 401])
    expect(await answers(eve)).toEqual([401, 401, 401, 401, 401, 401])
    expect(await answers(world.bob)).toEqual([200, 200, 200, 200, 200, 200])
    const { objects } = (await (await upload(wes, 'refs/heads/open')).json()) as {
      objects: { actions: { upload: { href: string }; verify: { href: string } } }[]
    }
    const { actions } = objects[0]!
    const path = (href: string): string => href.slice(`${world.server.url}/bob/app.git/info/lfs/`.length)
    const sent = (person: Person) => lfs(as(person), 'PUT', path(actions.upload.href), bytes)
    expect([(await sent(eve)).status, (await sent(wes)).status]).toEqual([401, 200])
    expect((await lfs(as(wes), 'POST', path(actions.verify.href), object)).status).toBe(200)
    expect((await lfs(as(wes), 'POST', 'locks/verify', {})).status).toBe(200)
    expect((await lfs(as(wes), 'POST', 'locks', { path: 'a.bin' })).status).toBe(401)
    const reading = { ...as(wes), authorization: `token ${await wes.token('read:repository')}` }
    const batch = { operation: 'upload', objects: [object] }
    expect((await lfs(reading, 'POST', 'objects/batch', batch)).status).toBe(403)
    await world.bob.client.patch('/repos/bob/app', { archived: true })
    expect((await upload(wes)).status).toBe(403)
    await world.bob.client.patch('/repos/bob/app', { archived: false })
    await world.bob.client.patch(`${PULLS}/${numbers.open}`, { state: 'closed' })
    expect((await upload(wes)).status).toBe(401)
  })
})
