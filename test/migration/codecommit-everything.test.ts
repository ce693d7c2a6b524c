import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { migrate } from './import-world.ts'
import { createMergedHistory } from './merged-history.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const seconds = (day: number): number => Date.UTC(2020, 0, day) / 1000
const at = (day: number): string => new Date(Date.UTC(2020, 0, day)).toISOString().replace('.000', '')
const arn = (name: string): string => `arn:aws:iam::123456789012:user/${name}`
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const hex = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Signature Version 4 as AWS documents it. */
function signatureOf({ headers }: IncomingMessage, body: string): string {
  const [, date, region, names] =
    /Credential=AKID\/(\d{8})\/([^/]+)\/codecommit\/aws4_request, SignedHeaders=([^,]+)/.exec(
      headers.authorization ?? '',
    )!
  const signed = names!.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const request = ['POST', '/', '', signed.join(''), names, hex(body)].join('\n')
  const scope = `${date}/${region}/codecommit/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hex(request)].join('\n')
  const key = [date!, region!, 'codecommit', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${SECRET}`)
  return hmac(key, text).toString('hex')
}

describeOnBoth('an import of everything from CodeCommit', (kind) => {
  let api: Upstream
  let upstream: Upstream
  let target: TestServer
  let tom: Person
  let base: string
  let head: string
  let merge: string
  /** Errors with which the next requests are answered. */
  let errors: string[]

  const run = (body: object = {}) =>
    migrate(tom, {
      clone_addr: `${upstream.url}/v1/repos/app.git`,
      repo_name: 'app',
      service: 'codecommit',
      aws_access_key_id: 'AKID',
      aws_secret_access_key: SECRET,
      pull_requests: true,
      ...body,
    })

  beforeAll(async () => {
    upstream = await startUpstream()
    api = await startUpstream()
    target = await startServer({
      on: kind,
      tuning: { importSleep: async () => {}, importApis: { codecommit: api.url } },
    })
    tom = await target.world.user('tom')
    ;({ base, head, merge } = await createMergedHistory(upstream, 'v1/repos/app', ['refs/kept/1']))
    await upstream.run('v1/repos/app', 'branch', 'topic', head)
    await upstream.push('v1/repos/app')
    errors = ['com.amazonaws.codecommit#ThrottlingException']
    serve()
    const made = await run()
    expect([made.status, made.json.message, made.headers.get('x-ingot-warning')]).toEqual([
      201,
      undefined,
      'the approval rules of pull request 12 were not imported: here only branches have rules',
    ])
  }, 60_000)
  afterAll(async () => {
    await target.close()
    await upstream.close()
    await api.close()
  })

  function serve(): void {
    api.routes.set('POST /', async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString()
      const fail = (type: string): unknown => response.writeHead(400).end(JSON.stringify({ __type: type, message: '' }))
      const error = errors.shift()
      if (error !== undefined) return void fail(error)
      if (!request.headers.authorization?.endsWith(`Signature=${signatureOf(request, body)}`))
        return void fail('InvalidSignatureException')
      expect(request.headers['content-type']).toBe('application/x-amz-json-1.1')
      const [, action] = String(request.headers['x-amz-target']).split('CodeCommit_20150413.')
      const answer = ACTIONS[action!]?.(JSON.parse(body) as Any)
      if (answer === undefined) return void fail('InvalidParameterException')
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer))
    })
  }

  const pull = (id: string, more: object, target: object): object => ({
    pullRequestId: id,
    title: `Pull ${id}`,
    description: `Text ${id}`,
    creationDate: seconds(2),
    lastActivityDate: seconds(9) + 0.285,
    pullRequestStatus: 'OPEN',
    authorArn: arn('ann'),
    pullRequestTargets: [
      {
        repositoryName: 'app',
        sourceReference: 'refs/heads/topic',
        destinationReference: 'refs/heads/main',
        sourceCommit: head,
        destinationCommit: base,
        mergeBase: base,
        mergeMetadata: { isMerged: false },
        ...target,
      },
    ],
    ...more,
  })
  const event = (day: number, type: string, name: string, more: object): object => ({
    pullRequestId: '7',
    eventDate: seconds(day),
    pullRequestEventType: type,
    actorArn: arn(name),
    ...more,
  })
  const comment = (id: string, content: string, more: object = {}): object => ({
    commentId: id,
    content,
    creationDate: seconds(4),
    lastModifiedDate: seconds(5),
    authorArn: arn('bob'),
    deleted: false,
    reactionCounts: {},
    ...more,
  })
  const merged = (): object => ({
    isMerged: true,
    mergedBy: arn('bob'),
    mergeCommitId: merge,
    mergeOption: 'THREE_WAY_MERGE',
  })

  const ACTIONS: Readonly<Record<string, (input: Any) => object | undefined>> = {
    GetRepository: ({ repositoryName }) =>
      repositoryName === 'app'
        ? { repositoryMetadata: { repositoryName, repositoryDescription: 'An app', defaultBranch: 'main' } }
        : undefined,
    ListPullRequests: ({ nextToken }) =>
      nextToken === undefined ? { pullRequestIds: ['12'], nextToken: 'more' } : { pullRequestIds: ['7'] },
    GetPullRequest: ({ pullRequestId: id }) => ({
      pullRequest:
        id === '7'
          ? pull('7', { pullRequestStatus: 'CLOSED' }, { mergeMetadata: merged() })
          : pull('12', { approvalRules: [{ approvalRuleName: 'two' }] }, {}),
    }),
    DescribePullRequestEvents: ({ pullRequestId: id }) => ({
      pullRequestEvents:
        id === '7'
          ? [
              event(8, 'PULL_REQUEST_STATUS_CHANGED', 'bob', {
                pullRequestStatusChangedEventMetadata: { pullRequestStatus: 'CLOSED' },
              }),
              event(8, 'PULL_REQUEST_MERGE_STATE_CHANGED', 'bob', {
                pullRequestMergedStateChangedEventMetadata: { repositoryName: 'app', mergeMetadata: merged() },
              }),
              event(2, 'PULL_REQUEST_CREATED', 'ann', { pullRequestCreatedEventMetadata: { repositoryName: 'app' } }),
              event(6, 'PULL_REQUEST_APPROVAL_STATE_CHANGED', 'bob', {
                approvalStateChangedEventMetadata: { revisionId: 'r', approvalStatus: 'APPROVE' },
              }),
              event(5, 'PULL_REQUEST_APPROVAL_STATE_CHANGED', 'eve', {
                approvalStateChangedEventMetadata: { revisionId: 'r', approvalStatus: 'APPROVE' },
              }),
              event(7, 'PULL_REQUEST_APPROVAL_STATE_CHANGED', 'eve', {
                approvalStateChangedEventMetadata: { revisionId: 'r', approvalStatus: 'REVOKE' },
              }),
            ]
          : [],
    }),
    GetCommentsForPullRequest: ({ pullRequestId: id, nextToken }) => {
      if (id !== '7') return { commentsForPullRequestData: [] }
      const commits = { repositoryName: 'app', beforeCommitId: base, afterCommitId: head }
      const location = { filePath: 'topic.txt', filePosition: 1, relativeFileVersion: 'AFTER' }
      if (nextToken !== undefined)
        return {
          commentsForPullRequestData: [
            { ...commits, location, comments: [comment('c', 'why'), comment('d', 'so', { inReplyTo: 'c' })] },
          ],
        }
      const comments = [
        comment('a', 'good', { reactionCounts: { ':thumbsup:': 1 } }),
        comment('b', '', { deleted: true }),
      ]
      return { commentsForPullRequestData: [{ ...commits, comments }], nextToken: 'more' }
    },
    GetCommentReactions: ({ commentId }) =>
      commentId === 'a'
        ? {
            reactionsForComment: [
              { reaction: { emoji: '👍', shortCode: ':thumbsup:', unicode: 'U+1F44D' }, reactionUsers: [arn('eve')] },
            ],
          }
        : undefined,
  }

  const get = async (path: string): Promise<Any> => {
    const { status, json } = await tom.client.get(`/repos/tom/app${path}`)
    expect([path, status]).toEqual([path, 200])
    return json
  }

  it('has the description and pull requests under their numbers', async () => {
    expect(await get('')).toMatchObject({ description: 'An app' })
    expect(await get('/pulls/7')).toMatchObject({
      title: 'Pull 7',
      body: 'Text 7',
      merged: true,
      merged_at: at(8),
      merge_commit_sha: merge,
      merge_base: base,
      original_author: 'ann',
      created_at: at(2),
      closed_at: at(8),
      head: { ref: 'topic', sha: head },
      base: { ref: 'main' },
    })
    expect(await get('/pulls/12')).toMatchObject({ state: 'open', head: { ref: 'topic', sha: head } })
    const timeline: Any[] = await get('/issues/7/timeline')
    const kinds = timeline.map(({ type }) => type)
    expect(kinds.filter((type) => type === 'close' || type === 'merge_pull')).toEqual(['merge_pull'])
  })

  it('has comments with reactions, comments on lines and approvals', async () => {
    const [first, ...others] = await get('/issues/7/comments')
    expect(others).toEqual([])
    expect(first).toMatchObject({ body: 'good', original_author: 'bob', created_at: at(4), updated_at: at(5) })
    expect(await get(`/issues/comments/${first.id}/reactions`)).toMatchObject([
      { content: '+1', user: { login: 'eve(codecommit)' } },
    ])
    const reviews: Any[] = await get('/pulls/7/reviews')
    expect(reviews.map(({ state, original_author, submitted_at }) => [state, original_author, submitted_at])).toEqual([
      ['COMMENT', 'bob', at(4)],
      ['APPROVED', 'bob', at(6)],
    ])
    expect(await get(`/pulls/7/reviews/${reviews[0].id}/comments`)).toMatchObject([
      { path: 'topic.txt', position: 1, body: 'why', commit_id: head },
      { path: 'topic.txt', position: 1, body: 'so' },
    ])
  })

  it('fails without keys, with wrong ones and with errors, and leaves nothing', async () => {
    for (const [body, error, message] of [
      [
        { aws_secret_access_key: undefined },
        undefined,
        'Authentication failed: the API of CodeCommit needs aws_access_key_id and aws_secret_access_key.',
      ],
      [
        { aws_secret_access_key: 'wrong' },
        undefined,
        'Authentication failed: CodeCommit answered InvalidSignatureException.',
      ],
      [{}, 'com.amazonaws#InternalThing', 'Migration failed: CodeCommit answered InternalThing.'],
    ] as const) {
      errors = error === undefined ? [] : [error]
      const failed = await run({ repo_name: 'other', ...body })
      expect([failed.status, failed.json.message]).toEqual([422, message])
      expect((await tom.client.get('/repos/tom/other')).status).toBe(404)
    }
  })
})
