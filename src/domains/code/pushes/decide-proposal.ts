import type { Services } from '../../../core/module.ts'
import { AccessMode, unitMode, isRepoAdmin } from '../../../core/access/repo-access.ts'
import { type Viewer, isSignedIn } from '../../../core/access/viewer.ts'
import {
  branchRef,
  type Commit,
  type GitRepo,
  type IncomingPush,
  type RefMove,
  type RefVerdict,
  type PushDecision,
} from '../../../core/git/index.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import type { RepoInView } from '../../repositories/index.ts'
import type {
  AgitProposals,
  PreparedProposal,
  Proposal,
  ProposalHead,
  PushProposals,
} from './push-proposals.service.ts'
import type { Database } from '../../../core/db/database.ts'
import type { PushFacts } from '../protections/push-rules.policy.ts'
import type { Verifier } from '../verification/verifier.service.ts'
import { refusalLines } from '../../../core/platform/refusal-lines.ts'
import { addsObjects, loadRules, pushFacts, refusalOf } from './check-push.ts'

const BASE64 = '{base64}'

/** The last value of the option `-o name=value`; `{base64}…` represents its bytes as UTF-8 text. */
export function pushOption(options: readonly string[], name: string): string | undefined {
  const value = options.findLast((option) => option.startsWith(`${name}=`))?.slice(name.length + 1)
  return value?.startsWith(BASE64) ? Buffer.from(value.slice(BASE64.length), 'base64').toString('utf8') : value
}

/** True for `-o name` and `-o name=true`. */
export function pushFlag(options: readonly string[], name: string): boolean {
  return pushOption(options, name) === 'true' || options.includes(name)
}

/**
 * The repository settings that push options such as `-o repo.private=true` change
 * (behaviour/git-data-and-transport#push-rules).
 */
export interface PushSettings {
  readonly private?: boolean
  readonly template?: boolean
}

/** The boolean words of git that other servers accept too. */
const BOOLEANS = new Map([
  ['true', true],
  ['t', true],
  ['1', true],
  ['false', false],
  ['f', false],
  ['0', false],
])
const SETTING = /^repo\.(private|template)(?:=(.*))?$/s

/** Undefined if the options contain no setting. A value that is not a boolean is ignored. */
export function readPushSettings(options: readonly string[]): PushSettings | undefined {
  const named = options.map((option) => SETTING.exec(option)).filter((match) => match !== null)
  if (named.length === 0) return undefined
  const read = named.map(([, name, value = 'true']) => [name, BOOLEANS.get(value.toLowerCase())] as const)
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as PushSettings
}

/** Refs for pushes that are never stored: each push proposes a change of the branch that the name starts with. */
export const FOR = 'refs/for/'

/** The maximum length in bytes; the database has an index on it. */
const MAX_HEAD = 255
const CONTROL = /\p{Cc}/u

type Command = IncomingPush['commands'][number]

/**
 * Decides about one ref below `refs/for/`: which ref to update instead, or why it is refused
 * (behaviour/git-data-and-transport#agit).
 */
async function decideProposal(
  port: AgitProposals,
  push: IncomingPush,
  command: Command,
  { viewer, repo, access }: RepoInView & { readonly viewer: Viewer },
): Promise<{ readonly verdict: RefVerdict; readonly prepared?: PreparedProposal }> {
  const refuse = (reason: string) => ({ verdict: { ok: false, reason } as const })
  if (command.kind === 'delete') return refuse('a proposal cannot be deleted by a push')
  if (viewer.kind !== 'user' || viewer.deployKeyId !== undefined || unitMode(access, 'repo.pulls') < AccessMode.read)
    return refuse('pull requests are not open to you')
  if (repo.isEmpty) return refuse("Can't create pull request for an empty repository.")
  const place = await splitName(push, command.ref.slice(FOR.length))
  if (place === undefined) return refuse('base-branch does not exist')
  const { base, topic } = place
  if (topic === '') return refuse('topic-branch is not set')
  const name = { repo, base, head: `${viewer.account.name.toLowerCase()}/${topic}` }
  if (Buffer.byteLength(name.head) > MAX_HEAD || CONTROL.test(topic))
    return refuse(`the topic must have no control characters, and at most ${MAX_HEAD} bytes with your name`)
  const open = await port.findOpen(name)
  const fault = open?.oid === undefined ? undefined : await findFault(push, command, open.oid)
  if (fault !== undefined) return refuse(fault)
  const texts = await readTexts(push, command, open === undefined)
  try {
    const prepared = await port.prepare({ ...name, ...texts, viewer, topic, newOid: command.newOid })
    return { verdict: { ok: true, instead: [moveOf(prepared, command, push.repo)] }, prepared }
  } catch (error) {
    if (isDomainError(error)) return refuse(error.message)
    throw error
  }
}

const moveOf = ({ ref, oid }: ProposalHead, { newOid }: Command, { zeroOid }: GitRepo): RefMove => ({
  ref,
  oldOid: oid ?? zeroOid,
  newOid,
})

/**
 * The base is the longest existing branch that the name starts with; the topic is the option `topic` or the rest of the
 * name.
 */
async function splitName(
  { repo, pushOptions }: IncomingPush,
  name: string,
): Promise<{ base: string; topic: string } | undefined> {
  const snapshot = await repo.refs.snapshot()
  const parts = name.split('/')
  for (let count = parts.length; count > 0; count--) {
    const base = parts.slice(0, count).join('/')
    if (snapshot.get(branchRef(base)) !== undefined)
      return { base, topic: pushOption(pushOptions, 'topic') ?? parts.slice(count).join('/') }
  }
  return undefined
}

async function findFault(push: IncomingPush, command: Command, oldOid: string): Promise<string | undefined> {
  if (oldOid === command.newOid) return 'new commit is same with old commit'
  if (pushFlag(push.pushOptions, 'force-push')) return undefined
  return (await push.isForced({ ...command, kind: 'update', oldOid })) ? 'request `force-push` push option' : undefined
}

async function readTexts(
  push: IncomingPush,
  command: Command,
  isNew: boolean,
): Promise<Pick<Proposal, 'title' | 'description'>> {
  const title = pushOption(push.pushOptions, 'title')
  const description = pushOption(push.pushOptions, 'description')
  if (!isNew || (title !== undefined && description !== undefined)) return { title, description }
  const [first = '', ...rest] = (await tipOf(push, command.newOid)).message.trimStart().split('\n')
  const chosen = title ?? first
  return { title: chosen, description: description ?? (rest.join('\n').trimStart() || chosen) }
}

async function tipOf({ repo, env }: IncomingPush, oid: string): Promise<Commit> {
  for await (const [newest] of repo.incoming(env).newCommits(undefined, oid))
    if (newest?.commit.oid === oid) return newest.commit
  return repo.objects.commit(oid) // the push brought no new commit
}

interface PreReceiveDeps {
  readonly branchWriters: Services['branchWriters']
  readonly database: Database
  readonly quota: Services['quota']
  readonly verifier: Verifier
  readonly proposals: PushProposals
}

interface PushTarget extends RepoInView {
  /** Receives the accepted proposals, by the pushed ref. */
  readonly prepared: Map<string, PreparedProposal>
}

const BRANCH = 'refs/heads/'
const SETTINGS_REFUSED = 'options validation failed: permission denied for changing repo settings'

/**
 * Decides about every ref of a push. One refusal rejects the whole push, as a failed hook does
 * (behaviour/git-data-and-transport#push-rules).
 */
export async function preReceive(
  deps: PreReceiveDeps,
  viewer: Viewer,
  push: IncomingPush,
  target: PushTarget,
): Promise<PushDecision> {
  if (readPushSettings(push.pushOptions) !== undefined && !isRepoAdmin(target.access))
    return declined(push, SETTINGS_REFUSED)
  const own = pushFacts(deps, viewer, target, await loadRules(deps, viewer, target.repo, push.commands))
  const common = { git: push.repo, incoming: push.repo.incoming(push.env), verifier: deps.verifier }
  for (const command of push.commands) {
    const facts = (await factsOfMaintainer(deps, viewer, target, command)) ?? own
    const refusal = await refusalOf(command, facts, { ...common, isForced: () => push.isForced(command) })
    if (refusal !== undefined) return declined(push, refusal.text)
  }
  if (addsObjects(push.commands) && (await deps.quota.isExceeded(target.repo.owner, 'size:repos:all')))
    return declined(push, 'Quota exceeded')
  return { verdicts: await decideProposals(deps, viewer, push, target) }
}

/**
 * The input of the rules for a branch that the viewer updates as a maintainer with the access of the author of a pull
 * request; undefined for branches that the viewer may update itself
 * (behaviour/git-data-and-transport#edits-by-maintainers).
 */
async function factsOfMaintainer(
  deps: PreReceiveDeps,
  viewer: Viewer,
  target: RepoInView,
  command: IncomingPush['commands'][number],
): Promise<PushFacts | undefined> {
  const { ref, kind } = command
  if (kind !== 'update' || !ref.startsWith(BRANCH) || !isSignedIn(viewer)) return undefined
  const writer = await deps.branchWriters.find(viewer, target, ref.slice(BRANCH.length))
  if (writer === undefined || writer.viewer === viewer) return undefined
  const rules = await loadRules(deps, writer.viewer, target.repo, [command])
  return pushFacts(deps, writer.viewer, { repo: target.repo, access: writer.access }, rules)
}

/** Proposals may be refused individually; all other refs are accepted. */
async function decideProposals(
  { proposals }: PreReceiveDeps,
  viewer: Viewer,
  push: IncomingPush,
  target: PushTarget,
): Promise<RefVerdict[]> {
  const port = proposals.find()
  const verdicts: RefVerdict[] = []
  for (const command of push.commands) {
    const decision =
      port && command.ref.startsWith(FOR) ? await decideProposal(port, push, command, { ...target, viewer }) : undefined
    if (decision?.prepared) target.prepared.set(command.ref, decision.prepared)
    verdicts.push(decision?.verdict ?? { ok: true })
  }
  return verdicts
}

const declined = ({ commands }: IncomingPush, text: string): PushDecision => ({
  verdicts: commands.map(() => ({ ok: false, reason: 'pre-receive hook declined' })),
  messages: refusalLines(text),
})
