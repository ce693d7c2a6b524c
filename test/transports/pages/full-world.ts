import { expect } from 'vitest'
import { createActionsFactory } from '../../harness/actions.ts'
import type { Any } from '../../harness/client.ts'
import { addPackageVersion } from '../../harness/packages.ts'
import type { TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const LONG = 'Sail_around_the_world_in_eighty_days_'.repeat(5)
const CODE = `export const ${LONG} = (a: number): number => a + 1 // ${'and so on '.repeat(20)}\n`
const TEXT = `# Boat

**Bold**, *italic*, ~~gone~~, \`code\` and [a link](hull/plan.ts). ${LONG}

## Parts

| part | material | weight | maker | remark | more | and more |
| ---- | -------- | -----: | ----- | ------ | ---- | -------- |
| hull | oak wood |    900 | Ann   | heavy  | none | nothing  |

> A quotation

> [!WARNING]
> Wind

- [x] sail
- [ ] row
  1. nested

\`\`\`ts
${CODE}\`\`\`

A footnote[^1]. :tada:

[^1]: At the end.
`
const LINES = Array.from({ length: 40 }, (_, at) => `line ${at}\n`)

/** Fills a server with an object of every kind that has a page, with long texts; returns the addresses of the pages. */
export async function fillPages(server: TestServer, ann: Person): Promise<string[]> {
  const { world } = server
  const bob = await world.user('bob')
  await ann.client.patch('/user/settings', { full_name: 'Ann Bonny', description: TEXT.slice(8, 90), location: 'Sea' })
  const crew = await world.org('crew', { owner: ann })
  await world.repo({ owner: ann, name: 'boat', autoInit: true, defaultBranch: 'main' })
  await world.repo({ owner: crew.org, by: ann, name: LONG.slice(0, 90), autoInit: true })
  const send = async (person: Person, path: string, body: object, method: 'post' | 'patch' | 'put' = 'post') => {
    const answer = await person.client[method](path, body)
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
    return answer.json as Any
  }
  const post = (path: string, body: object, person = ann): Promise<Any> => send(person, `/repos/ann/boat${path}`, body)
  await send(ann, '/repos/ann/boat', { description: TEXT.slice(8, 90), website: 'https://example.org' }, 'patch')
  await send(ann, '/repos/ann/boat/collaborators/bob', { permission: 'write' }, 'put')
  const { sha } = (await ann.client.get('/repos/ann/boat/contents/README.md')).json
  const commit = await post('/contents', {
    message: `Rig it\n\n${LONG}`,
    branch: 'main',
    files: [
      { operation: 'update', path: 'README.md', sha, content: btoa(`${TEXT}\n![a picture](pic.png)\n`) },
      { operation: 'create', path: 'pic.png', content: PICTURE },
      { operation: 'create', path: 'hull/plan.ts', content: btoa(CODE.repeat(3) + LINES.join('')) },
      { operation: 'create', path: `${LONG.slice(0, 100)}/${LONG.slice(0, 100)}.txt`, content: btoa('x\n') },
    ],
  })
  const label = await post('/labels', { name: 'kind/leak', color: '#ffee00', description: 'Water comes in' })
  const milestone = await post('/milestones', { title: 'Spring', description: TEXT, due_on: '2030-01-01T00:00:00Z' })
  const issue = await post('/issues', {
    title: `Leaks ${LONG}`,
    body: TEXT,
    labels: [label.id],
    milestone: milestone.id,
    assignees: ['bob'],
  })
  const said = await post(`/issues/${issue.number}/comments`, { body: `@ann ${TEXT}` }, bob)
  await post(`/issues/comments/${said.id}/reactions`, { content: '+1' })
  await send(ann, `/repos/ann/boat/issues/${issue.number}`, { title: 'It leaks', state: 'closed' }, 'patch')
  const pull = await pullOf(post, ann, bob)
  const board = await post('/projects', { title: 'Refit', description: LONG, template_type: 'basic_kanban' })
  const ownBoard = await send(ann, '/user/projects', { title: 'Year' })
  await send(ann, `/repos/ann/boat/issues/${issue.number}`, { projects: [board.id, ownBoard.id] }, 'patch')
  await post('/tags', { tag_name: 'v1', message: 'One', target: 'main' })
  await post('/releases', { tag_name: 'v1', name: `Version ${LONG}`, body: TEXT })
  await post('/wiki/new', { title: 'Home', content_base64: btoa(TEXT) })
  await addPackageVersion(server.app, {
    ownerId: ann.user.id,
    creatorId: ann.user.id,
    name: `@ann/${LONG.slice(0, 60)}`,
    version: '1.0',
  })
  const [packed] = (await ann.client.get('/packages/ann')).json
  const run = await runOf(server, ann)
  await server.drain()
  const boat = '/ann/boat'
  return [
    '/',
    '/ann',
    '/crew',
    boat,
    `${boat}/src/branch/main/hull`,
    `${boat}/src/branch/main/hull/plan.ts`,
    `${boat}/src/branch/main/README.md`,
    `${boat}/src/branch/main/${LONG.slice(0, 100)}`,
    `${boat}/commits/branch/main`,
    `${boat}/commit/${commit.commit.sha}`,
    `${boat}/compare/main...topic`,
    `${boat}/branches`,
    `${boat}/tags`,
    `${boat}/releases`,
    `${boat}/releases/tag/v1`,
    `${boat}/wiki`,
    `${boat}/issues?state=all`,
    `${boat}/issues/${issue.number}`,
    `${boat}/pulls`,
    ...['', '/commits', '/files'].map((tail) => `${boat}/pulls/${pull.number}${tail}`),
    `${boat}/labels`,
    `${boat}/milestones`,
    `${boat}/milestone/${milestone.id}`,
    new URL(board.html_url).pathname,
    new URL(ownBoard.html_url).pathname,
    `${boat}/actions`,
    ...run,
    new URL(packed.html_url).pathname,
    '/notifications',
    '/user/applications',
    '/user/passkeys',
    '/user/providers',
  ]
}

/** A pull request with a difference, a review with comments, and comments that its reviewer has not submitted. */
async function pullOf(post: (path: string, body: object, by?: Person) => Promise<Any>, ann: Person, bob: Person) {
  const { sha } = (await ann.client.get('/repos/ann/boat/contents/hull/plan.ts')).json
  const content = btoa(CODE + LINES.toSpliced(20, 3, `changed ${LONG}\n`).join(''))
  const files = [{ operation: 'update', path: 'hull/plan.ts', sha, content }]
  await post('/contents', { message: 'Plan anew', branch: 'main', new_branch: 'topic', files })
  const pull = await post('/pulls', { head: 'topic', base: 'main', title: `Plan ${LONG}`, body: TEXT })
  const comments = [{ path: 'hull/plan.ts', body: TEXT, new_position: 2 }]
  await post(`/pulls/${pull.number}/reviews`, { event: 'REQUEST_CHANGES', body: 'No.', comments }, bob)
  await post(`/pulls/${pull.number}/reviews`, { body: 'Not sent', comments }, ann)
  return pull
}

async function runOf({ app }: TestServer, ann: Person): Promise<string[]> {
  const { id } = (await ann.client.get('/repos/ann/boat')).json
  const factory = createActionsFactory(app)
  const made = { title: `Push ${LONG}`, actorId: ann.user.id }
  const { run, jobs } = await factory.run(id, { ...made, jobs: { build: { status: 'failure' } } })
  await factory.task(id, jobs[0]!, { log: [...LINES, `${LONG}\n`], steps: ['compile', LONG] })
  return [`/ann/boat/actions/runs/${run.id}`, `/ann/boat/actions/runs/${run.id}/jobs/${jobs[0]!}`]
}
