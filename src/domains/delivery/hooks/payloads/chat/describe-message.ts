import { escapePath } from '../../../../../core/access/repo-urls.ts'
import type { HookMessage } from '../payload.ts'
import type {
  CommentPayload,
  CreatePayload,
  DeletePayload,
  IssuePayload,
  PayloadOf,
  PullPayload,
  PushPayload,
  SentEventType,
} from '../payload-types.ts'
import { type ChatMessage, firstLine, shorten, type Span, type Tone } from './chat-message.ts'
import { type ChatTarget, FORMATS } from './formats.ts'

const MAX_TITLE = 200
const MAX_NAME = 100
const MAX_DETAILS = 1000
/** Chats refuse longer addresses. */
const MAX_ADDRESS = 2000

/** The text of an event, without the repository before it and the sender after it. */
interface Description {
  readonly words: readonly (string | Span)[]
  readonly title: Span
  readonly items?: readonly (readonly Span[])[]
  readonly details?: string
  readonly tone: Tone
}

type Describe<Type extends SentEventType> = (payload: PayloadOf[Type]) => Description

/** The chat text of a message; undefined for event types that chats do not show. */
export function describeMessage({ eventType, payload }: HookMessage): ChatMessage | undefined {
  if (!Object.hasOwn(DESCRIPTIONS, eventType)) return undefined
  const describe = DESCRIPTIONS[eventType as SentEventType] as Describe<SentEventType>
  const given = payload as unknown as PayloadOf[SentEventType]
  const { sender } = given
  const { words, title, items = [], details = '', tone } = describe(given)
  const by: Span = { text: sender.login, url: sender.html_url }
  return {
    head: asLine([
      { text: '[' },
      locationOf(given),
      { text: '] ' },
      ...words.map((word) => (typeof word === 'string' ? { text: word } : word)),
      { text: ' by ' },
      by,
    ]),
    title: asLine([title])[0]!,
    items: items.map(asLine),
    details: shorten(
      details
        .trim()
        .replaceAll('\r\n', '\n')
        .replaceAll(/\n{3,}/g, '\n\n'),
      MAX_DETAILS,
    ),
    tone,
    author: { name: sender.login, url: sender.html_url, avatarUrl: sender.avatar_url },
  }
}

/** NOTE: a line break in a title could add lines that seem to come from the server. */
const asLine = (spans: readonly Span[]): Span[] =>
  spans.map((span) => ({ ...span, text: span.text.replaceAll(/\s+/g, ' ') }))

/**
 * A user-supplied address in normalized form, with the host in ASCII. Undefined for addresses that browsers do not
 * open, and for those with credentials, which may look like a host.
 */
function webAddress(text: string): string | undefined {
  const url = URL.parse(text)
  const isOpened = url?.protocol === 'http:' || url?.protocol === 'https:'
  return isOpened && url.username + url.password === '' && url.href.length <= MAX_ADDRESS ? url.href : undefined
}

/** The repository of the event, or the owner for a package without a repository. */
function locationOf(payload: PayloadOf[SentEventType]): Span {
  if ('package' in payload && payload.repository === null) {
    const { owner } = payload.package
    return { text: owner.login, url: owner.html_url }
  }
  const { full_name: text, html_url: url } = payload.repository!
  return { text, url }
}

const DESCRIPTIONS: { readonly [Type in SentEventType]: Describe<Type> } = {
  create: (payload) => ofRef(payload, 'created', 'good'),
  delete: (payload) => ofRef(payload, 'deleted', 'bad'),
  fork: ({ forkee, repository }) => {
    const title = { text: repository.full_name, url: repository.html_url }
    return { words: ['forked from ', { text: forkee.full_name, url: forkee.html_url }], title, tone: 'good' }
  },
  issues: (payload) => ofIssue(payload),
  issue_assign: (payload) => ofIssue(payload),
  issue_label: (payload) => ofIssue(payload, labelWords(payload)),
  issue_milestone: (payload) => ofIssue(payload, milestoneWords(payload.issue)),
  issue_comment: ofComment,
  package: ({ action, package: shown }) => {
    const title = { text: shorten(`${shown.name} ${shown.version}`, MAX_TITLE), url: shown.html_url }
    return { words: [`package ${action}: `, title], title, tone: toneOf(action) }
  },
  pull_request: (payload) => ofPull(payload),
  pull_request_assign: (payload) => ofPull(payload),
  pull_request_comment: ofComment,
  pull_request_label: (payload) => ofPull(payload, labelWords(payload)),
  pull_request_milestone: (payload) => ofPull(payload, milestoneWords(payload.pull_request)),
  pull_request_review_approved: (payload) => ofReview(payload, 'approved', 'good'),
  pull_request_review_comment: (payload) => ofReview(payload, 'reviewed', 'changed'),
  pull_request_review_rejected: (payload) => ofReview(payload, 'needs changes', 'bad'),
  pull_request_review_request: (payload) => ofPull(payload, requestWords(payload)),
  pull_request_sync: (payload) => ofPull(payload, 'has new commits'),
  push: ofPush,
  release: ({ action, release }) => {
    const title = { text: shorten(release.name || release.tag_name, MAX_TITLE), url: release.html_url }
    return { words: [`release ${action}: `, title], title, details: release.body, tone: toneOf(action) }
  },
  repository: ({ action, repository }) => ({
    words: [`repository ${action}`],
    title: { text: repository.full_name, url: repository.html_url },
    tone: toneOf(action),
  }),
  status: ({ context, state, description, sha, target_url: target, commit }) => ({
    words: [`${shorten(context, MAX_NAME)}: ${state} for `, { text: sha.slice(0, 10), url: commit.url }],
    title: { text: shorten(context, MAX_NAME), url: webAddress(target) ?? commit.url },
    details: description,
    tone: state === 'success' ? 'good' : state === 'failure' || state === 'error' ? 'bad' : 'neutral',
  }),
  wiki: ({ action, page, comment, repository }) => {
    const title = { text: shorten(page, MAX_TITLE), url: `${repository.html_url}/wiki/${escapePath(page)}` }
    return { words: [`wiki page ${action}: `, title], title, details: comment, tone: toneOf(action) }
  },
  workflow_job: ({ action, workflow_job: job }) => ofWorkflow('workflow job', { ...job, action, text: job.name }),
  workflow_run: ({ action, workflow_run: run }) =>
    ofWorkflow('workflow run', { ...run, action, text: run.display_title }),
}

function ofWorkflow(
  kind: string,
  shown: { readonly action: string; readonly conclusion?: string; readonly text: string; readonly html_url: string },
): Description {
  const { action, conclusion, text, html_url: url } = shown
  const title = { text: shorten(text, MAX_TITLE), url }
  const what = conclusion ?? action.replace('_', ' ')
  const tone = conclusion === 'success' ? 'good' : conclusion === 'failure' ? 'bad' : 'neutral'
  return { words: [`${kind} ${what}: `, title], title, tone }
}

function toneOf(action: string): Tone {
  if (['opened', 'reopened', 'created', 'published', 'merged'].includes(action)) return 'good'
  return ['closed', 'deleted'].includes(action) ? 'bad' : 'changed'
}

function ofRef(
  { ref, ref_type: kind, repository }: CreatePayload | DeletePayload,
  verb: string,
  tone: Tone,
): Description {
  const title = {
    text: shorten(ref, MAX_NAME),
    ...(tone === 'good' && { url: `${repository.html_url}/src/${kind}/${escapePath(ref)}` }),
  }
  return { words: [`${kind} `, title, ` ${verb}`], title, tone }
}

const labelWords = ({ action }: { readonly action: string }): string =>
  `labels ${action === 'label_cleared' ? 'cleared' : 'updated'}`

const milestoneWords = ({ milestone }: Pick<IssuePayload['issue'], 'milestone'>): string =>
  milestone ? `added to milestone ${shorten(milestone.title, MAX_NAME)}` : 'taken from its milestone'

function requestWords({ action, requested_reviewer: reviewer }: PullPayload): string {
  const review = reviewer ? `a review by ${reviewer.login}` : 'a review'
  return action === 'review_requested' ? `has ${review} requested` : `has the request for ${review} withdrawn`
}

const linkTo = ({ number, title, html_url: url }: IssuePayload['issue'] | PullPayload['pull_request']): Span => ({
  text: `#${number} ${shorten(title, MAX_TITLE)}`,
  url,
})

const ofIssue = ({ action, issue }: IssuePayload, what = action): Description =>
  ofEither({ kind: 'issue', what, action }, issue)

function ofPull({ action, pull_request: pull }: PullPayload, what?: string): Description {
  const done = action === 'closed' && pull.merged ? 'merged' : action
  return ofEither({ kind: 'pull request', what: what ?? done, action: done }, pull)
}

const ofReview = (payload: PullPayload, what: string, tone: Tone): Description => ({
  ...ofPull(payload, what),
  details: payload.review?.content ?? '',
  tone,
})

interface Happened {
  readonly kind: string
  /** The status in words. */
  readonly what: string
  readonly action: string
}

function ofEither(
  { kind, what, action }: Happened,
  shown: IssuePayload['issue'] | PullPayload['pull_request'],
): Description {
  const title = linkTo(shown)
  const showsText = action === 'opened' || action === 'edited'
  return { words: [`${kind} ${what}: `, title], title, tone: toneOf(action), ...(showsText && { details: shown.body }) }
}

function ofComment({ action, issue, comment, is_pull: isPull }: CommentPayload): Description {
  const on = isPull ? 'pull request' : 'issue'
  return {
    words: [{ text: 'comment', url: comment.html_url }, ` ${action} on ${on} `, linkTo(issue)],
    title: { ...linkTo(issue), url: comment.html_url },
    details: comment.body,
    tone: action === 'deleted' ? 'bad' : action === 'created' ? 'good' : 'changed',
  }
}

function ofPush({ ref, commits, total_commits: total, compare_url: url }: PushPayload): Description {
  const name = shorten(ref.replace(/^refs\/(?:heads|tags)\//, ''), MAX_NAME)
  const title = { text: `${total} new commit${total === 1 ? '' : 's'}`, url }
  return {
    words: [title, ` pushed to ${name}`],
    title,
    items: commits.map((commit) => [
      { text: commit.id.slice(0, 10), url: commit.url },
      { text: ` ${shorten(firstLine(commit.message), MAX_TITLE)} - ${shorten(commit.author.name, MAX_NAME)}` },
    ]),
    tone: 'neutral',
  }
}

/** A request to a chat or another service that does not accept the payload itself. */
interface ChatRequest {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly contentType: string
  readonly body: string
}

interface Sending {
  /** The same for every attempt of a delivery, so that chats which support it show the message once. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
}

/**
 * The request for a chat; undefined when its type does not support the message: pushes without commits, events other
 * than pushes for `packagist`, and all events for `sourcehut_builds`, which needs options that webhooks do not have
 * (behaviour/orgs-webhooks-actions#chat-and-other-hook-types).
 */
export function formatMessage(target: ChatTarget, message: HookMessage, { id, at }: Sending): ChatRequest | undefined {
  if (message.eventType === 'push' && isEmptyList(message.payload['commits'])) return undefined
  const json = target.type === 'packagist' ? packagistJson(target, message) : chatJson(target, message, at)
  if (json === undefined) return undefined
  const isMatrix = target.type === 'matrix'
  return {
    method: isMatrix ? 'PUT' : 'POST',
    url: isMatrix ? withSegment(target.url, id) : target.url,
    contentType: 'application/json',
    body: JSON.stringify(json),
  }
}

function chatJson(target: ChatTarget, message: HookMessage, at: number): object | undefined {
  const described = describeMessage(message)
  return described && FORMATS.get(target.type)?.(described, target, at)
}

/** Notifies a package registry of new versions in a repository. */
function packagistJson({ settings }: ChatTarget, { eventType, payload }: HookMessage): object | undefined {
  if (eventType !== 'push') return undefined
  const { html_url: address } = payload['repository'] as { readonly html_url: string }
  return { repository: { url: settings['package_url'] || address } }
}

function withSegment(url: string, segment: string): string {
  const made = new URL(url)
  made.pathname = `${made.pathname.replace(/\/$/, '')}/${encodeURIComponent(segment)}`
  return made.href
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0
