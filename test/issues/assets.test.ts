import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { expectEvents, lastEventId } from '../harness/expect.ts'
import type { TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { comment, createIssue, issueWorld } from './issue-world.ts'

const DESK = '/repos/ann/desk/issues'

interface Upload {
  /** The fields before the file in the form. */
  readonly fields?: Readonly<Record<string, string>>
  readonly name?: string
  readonly text?: string
  /** The name of the field in the form. */
  readonly field?: string
}

const authorization = ({ name }: Person): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`,
})

async function upload(
  server: TestServer,
  person: Person | undefined,
  path: string,
  { fields = {}, name = 'notes.txt', text = 'hello\n', field = 'attachment' }: Upload = {},
): Promise<{ status: number; json: Any }> {
  const form = new FormData()
  for (const [key, value] of Object.entries(fields)) form.append(key, value)
  form.append(field, new File([text], name))
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    body: form,
    headers: person ? authorization(person) : {},
  })
  const body = await answer.text()
  return { status: answer.status, json: body === '' ? undefined : JSON.parse(body) }
}

/** The number of stored files. */
function stored(server: TestServer): number {
  const dir = join(server.dataDir, 'blobs/attachments')
  if (!existsSync(dir)) return 0
  return readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
}

describeOnBoth('files of issues and comments', (on) => {
  const given = issueWorld({ on })

  it('are uploaded, read, renamed and deleted, and update their issue or comment', async () => {
    const { ann, bob, server } = given
    const issue = await createIssue(bob)
    const said = await comment(ann, issue.number)
    const [ofIssue, ofComment] = [`${DESK}/${issue.number}/assets`, `${DESK}/comments/${said.id}/assets`]
    const mark = await lastEventId(server)
    const made = await upload(server, bob, ofIssue)
    expect([made.status, made.json]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: 'notes.txt',
        size: 6,
        download_count: 0,
        created_at: expect.any(String),
        uuid: expect.stringMatching(/^[\da-f]{8}-/),
        browser_download_url: `${server.url}/attachments/${made.json.uuid}`,
        type: 'attachment',
      },
    ])
    const second = (await upload(server, ann, `${ofIssue}?name=a.log`)).json
    const third = (await upload(server, ann, ofComment, { name: 'data.json', text: '{"a":1}' })).json
    const read = (path: string) => server.anonymous.get(path)
    expect((await read(ofIssue)).json).toEqual([second, made.json])
    expect((await read(ofComment)).json).toEqual([third])
    expect((await read(`${ofIssue}/${made.json.id}`)).json).toEqual(made.json)
    expect((await read(`${ofComment}/${third.id}`)).json).toEqual(third)
    expect((await read(`${ofIssue}/${third.id}`)).json).toEqual(third)
    expect((await read(`${DESK}/${issue.number}`)).json).toMatchObject({
      assets: [second, made.json],
      content_version: 2,
    })
    expect((await read(`${DESK}/${issue.number}/comments`)).json[0].assets).toEqual([third])
    expect((await read(`${DESK}/comments`)).json[0].assets).toEqual([third])
    expect((await read(`${DESK}/comments/${said.id}`)).json.assets).toEqual([third])
    const renamed = await bob.client.patch(`${ofIssue}/${made.json.id}`, { name: 'minutes.txt' })
    expect([renamed.status, renamed.json]).toEqual([201, { ...made.json, name: 'minutes.txt' }])
    expect((await ann.client.patch(`${ofComment}/${third.id}`, { name: 'b.json' })).json.name).toBe('b.json')
    expect((await bob.client.delete(`${ofIssue}/${made.json.id}`)).status).toBe(204)
    expect((await bob.client.delete(`${ofIssue}/${made.json.id}`)).status).toBe(404)
    expect((await ann.client.delete(`${ofComment}/${third.id}`)).status).toBe(204)
    expect((await read(ofComment)).json).toEqual([])
    const of = { issue_id: issue.id }
    await expectEvents(server, { after: mark }, [
      ['issue.edited', of],
      ['issue.edited', of],
      ['comment.edited', { ...of, comment_id: said.id }],
    ])
  })

  it('are deleted with their comment and their issue, including bytes and URLs', async () => {
    const { ann, server } = given
    await server.drain()
    const before = stored(server)
    const { number } = await createIssue(ann)
    const [one, two] = [await comment(ann, number), await comment(ann, number)]
    const urls: string[] = []
    for (const [n, path] of [`${number}`, `comments/${one.id}`, `comments/${two.id}`].entries())
      urls.push((await upload(server, ann, `${DESK}/${path}/assets`, { text: `${n}` })).json.browser_download_url)
    const statuses = () => Promise.all(urls.map(async (url) => (await fetch(url)).status))
    expect(await statuses()).toEqual([200, 200, 200])
    expect(stored(server)).toBe(before + 3)
    await ann.client.delete(`${DESK}/comments/${one.id}`)
    await server.drain()
    expect([await statuses(), stored(server)]).toEqual([[200, 404, 200], before + 2])
    await ann.client.delete(`${DESK}/${number}`)
    await server.drain()
    expect([await statuses(), stored(server)]).toEqual([[404, 404, 404], before])
  })
})

describe('refusals of files', () => {
  const given = issueWorld({ settings: { 'attachment.max_size': '1' } })

  it('depend on the permissions for files of issues and of comments', async () => {
    const { ann, bob, wes, server } = given
    const issue = await createIssue(ann)
    const [byBob, byAnn] = [await comment(bob, issue.number), await comment(ann, issue.number)]
    const ofIssue = `${DESK}/${issue.number}/assets`
    const ofComment = ({ id }: Any) => `${DESK}/comments/${id}/assets`
    const file = (await upload(server, ann, ofIssue)).json
    const refused = { status: 403, json: { message: 'user should have permission to write issue' } }
    expect(await upload(server, bob, ofIssue)).toMatchObject(refused)
    expect(await bob.client.patch(`${ofIssue}/${file.id}`, { name: 'x.txt' })).toMatchObject(refused)
    expect(await bob.client.delete(`${ofIssue}/${file.id}`)).toMatchObject(refused)
    expect((await upload(server, wes, ofIssue)).status).toBe(201)
    expect((await upload(server, undefined, ofIssue)).status).toBe(401)
    const ofOthers = { status: 403, json: { message: 'user should have permission to edit comment' } }
    expect(await upload(server, bob, ofComment(byBob))).toMatchObject(ofOthers)
    expect(await upload(server, wes, ofComment(byAnn))).toMatchObject(ofOthers)
    expect((await upload(server, ann, ofComment(byBob))).status).toBe(201)
    expect(stored(server)).toBe(1)
  })

  it('name types, sizes, forms and links that are not allowed', async () => {
    const { ann, server } = given
    const { number } = await createIssue(ann)
    const path = `${DESK}/${number}/assets`
    const forbidden = 'This file cannot be uploaded or modified due to a forbidden file extension or type.'
    const refused = { status: 422, json: { message: forbidden } }
    expect(await upload(server, ann, path, { name: 'tool.exe', text: 'MZ' })).toMatchObject(refused)
    expect((await upload(server, ann, path, { field: 'other' })).status).toBe(400)
    expect((await upload(server, ann, path, { fields: { external_url: 'https://example.test/' } })).status).toBe(400)
    expect((await upload(server, ann, path, { text: 'x'.repeat(2 ** 20 + 1) })).status).toBe(413)
    expect((await upload(server, ann, `${path}?name=../x.txt`)).status).toBe(400)
    expect((await ann.client.post(path, { name: 'x' })).status).toBe(400)
    expect((await upload(server, ann, `${DESK}/999/assets`)).status).toBe(404)
    const { json } = await upload(server, ann, path)
    expect(await ann.client.patch(`${path}/${json.id}`, { name: 'minutes.exe' })).toMatchObject(refused)
    expect((await server.anonymous.get(path)).json).toHaveLength(1)
    expect((await server.anonymous.get(`${DESK}/${number}`)).json.content_version).toBe(1)
  })

  it('separate the files of issues from each other and from those of comments', async () => {
    const { ann, bob, server } = given
    const [one, two] = [await createIssue(ann), await createIssue(bob)]
    const [said, other] = [await comment(ann, two.number), await comment(ann, two.number)]
    const file = (await upload(server, ann, `${DESK}/${one.number}/assets`)).json
    expect((await ann.client.get(`${DESK}/${two.number}/assets/${file.id}`)).status).toBe(404)
    expect((await ann.client.delete(`${DESK}/${two.number}/assets/${file.id}`)).status).toBe(404)
    const ofComment = (await upload(server, ann, `${DESK}/comments/${said.id}/assets`)).json
    expect((await ann.client.get(`${DESK}/comments/${other.id}/assets/${ofComment.id}`)).status).toBe(404)
    expect((await bob.client.get(`${DESK}/${two.number}/assets/${ofComment.id}`)).status).toBe(200)
    expect((await bob.client.patch(`${DESK}/${two.number}/assets/${ofComment.id}`, { name: 'x.txt' })).status).toBe(404)
    expect((await bob.client.delete(`${DESK}/${two.number}/assets/${ofComment.id}`)).status).toBe(404)
  })

  it('cover changes in archived repositories and by blocked accounts', async () => {
    const { ann, bob, server } = given
    const { number } = await createIssue(bob)
    await ann.client.put('/user/block/bob')
    expect(await upload(server, bob, `${DESK}/${number}/assets`)).toMatchObject({
      status: 403,
      json: { message: 'user is blocked' },
    })
    await ann.client.delete('/user/block/bob')
    await server.world.repo({ owner: ann, name: 'old', autoInit: true })
    const old = await createIssue(ann, {}, 'ann/old')
    const path = `/repos/ann/old/issues/${old.number}/assets`
    const file = (await upload(server, ann, path)).json
    await ann.client.patch('/repos/ann/old', { archived: true })
    expect((await upload(server, ann, path)).status).toBe(423)
    expect((await ann.client.patch(`${path}/${file.id}`, { name: 'x.txt' })).status).toBe(423)
    expect((await ann.client.delete(`${path}/${file.id}`)).status).toBe(423)
    expect((await ann.client.get(path)).json).toEqual([file])
  })

  it('are served in a sandbox, and are 404 for users who may not read the issue', async () => {
    const { ann, bob, server } = given
    const { number } = await createIssue(ann, {}, 'ann/vault')
    const { json } = await upload(server, ann, `/repos/ann/vault/issues/${number}/assets`)
    const get = (person: Person) => fetch(json.browser_download_url, { headers: authorization(person) })
    const answer = await get(ann)
    expect([answer.status, await answer.text()]).toEqual([200, 'hello\n'])
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-disposition')).toContain('inline; filename=')
    expect((await get(bob)).status).toBe(404)
    await ann.client.patch('/repos/ann/vault', { has_issues: false })
    expect((await get(ann)).status).toBe(404)
  })
})

describe('files where attachments are disabled', () => {
  const given = issueWorld({ settings: { 'attachment.enabled': 'false' } })

  it('are 404 for every operation', async () => {
    const { ann, server } = given
    const { number } = await createIssue(ann)
    const { id } = await comment(ann, number)
    for (const path of [`${DESK}/${number}/assets`, `${DESK}/comments/${id}/assets`]) {
      expect((await upload(server, ann, path)).status).toBe(404)
      expect((await ann.client.get(path)).status).toBe(404)
      expect((await ann.client.get(`${path}/1`)).status).toBe(404)
    }
  })
})

describe('updated_at of files', () => {
  const clock = { time: Date.parse('2030-01-01T00:00:00Z'), now: () => clock.time }
  const given = issueWorld({ clock })
  const AT = '2030-01-01T00:00:30Z'

  it('sets the times of the file and its issue, or only its comment, for administrators', async () => {
    const { ann, bob, wes, server } = given
    const { number } = await createIssue(bob)
    const { id } = await comment(ann, number)
    clock.time += 60_000
    const path = `${DESK}/${number}/assets`
    const issue = async () => (await ann.client.get(`${DESK}/${number}`)).json
    expect((await upload(server, ann, `${DESK}/comments/${id}/assets?updated_at=${AT}`)).json.created_at).toBe(AT)
    expect((await ann.client.get(`${DESK}/comments/${id}`)).json.updated_at).toBe(AT)
    expect((await issue()).updated_at).toBe('2030-01-01T00:00:00Z')
    expect((await upload(server, ann, `${path}?updated_at=${AT}`)).json.created_at).toBe(AT)
    expect((await issue()).updated_at).toBe(AT)
    expect((await upload(server, ann, path, { fields: { updated_at: '2030-01-01T00:00:40Z' } })).status).toBe(201)
    expect((await issue()).updated_at).toBe('2030-01-01T00:00:40Z')
    for (const person of [bob, wes])
      expect((await upload(server, person, `${path}?updated_at=${AT}`)).json.message).toBe(
        'user needs to have admin or owner right',
      )
    expect((await upload(server, ann, `${path}?updated_at=1970-01-01T00:00:00Z`)).json.message).toBe(
      'unallowed update date',
    )
    expect((await upload(server, ann, `${path}?updated_at=rubbish`)).status).toBe(422)
    expect((await upload(server, ann, path, { fields: { updated_at: 'rubbish' } })).status).toBe(422)
    expect((await issue()).assets).toHaveLength(2)
    await upload(server, bob, path)
    expect((await issue()).updated_at).toBe('2030-01-01T00:01:00Z')
  })
})

describe('attachment.max_files', () => {
  const given = issueWorld({ settings: { 'attachment.max_files': '2' } })

  it('limits the files of an issue and those of each comment, also for concurrent uploads', async () => {
    const { ann, server } = given
    const { number } = await createIssue(ann)
    const { id } = await comment(ann, number)
    const places = [
      [`${DESK}/${number}/assets`, 'an issue has at most 2 files (attachment.max_files)'],
      [`${DESK}/comments/${id}/assets`, 'a comment has at most 2 files (attachment.max_files)'],
    ] as const
    for (const [path, message] of places) {
      const answers = await Promise.all([1, 2, 3].map(() => upload(server, ann, path)))
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 422])
      expect(answers.find(({ status }) => status === 422)!.json.message).toBe(message)
      const [{ id: file }] = (await ann.client.get(path)).json
      expect((await ann.client.delete(`${path}/${file}`)).status).toBe(204)
      expect((await upload(server, ann, path)).status).toBe(201)
    }
  })
})
