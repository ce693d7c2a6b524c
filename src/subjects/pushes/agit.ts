import { AccessMode } from '../../access/access-mode.ts'
import { unitMode } from '../../access/repo-access.ts'
import type { SignedIn, Viewer } from '../../access/viewer.ts'
import {
  branchRef,
  type Commit,
  type GitRepo,
  type IncomingPush,
  type RefMove,
  type RefVerdict,
} from '../../git/index.ts'
import { isDomainError } from '../../platform/errors.ts'
import type { Repo, RepoInView } from '../repos/index.ts'
import { pushFlag, pushOption } from './push-options.ts'

/** Which proposal a push is about: there is at most one open one with these. */
export interface ProposalName {
  readonly repo: Repo
  /** Short name of an existing branch. */
  readonly base: string
  /** Name of the proposal's branch that exists nowhere: `{login in lower case}/{topic}`. */
  readonly head: string
}

/** A push to `refs/for/{base}/{topic}` that may be taken. Its objects are still in quarantine, complete and checked. */
export interface Proposal extends ProposalName {
  readonly viewer: SignedIn
  readonly topic: string
  readonly newOid: string
  /** As the client gave it; of a new proposal without one, the first line of its last commit. */
  readonly title: string | undefined
  /** Likewise, the text behind the first line, or the title where there is none. */
  readonly description: string | undefined
}

/** Where a proposal is kept. */
export interface ProposalHead {
  /** `refs/pull/7/head` */
  readonly ref: string
  /** Its tip before this push; undefined: it is new. */
  readonly oid: string | undefined
}

export interface PreparedProposal extends ProposalHead {
  /** Called once the ref has moved, before the client gets its answer; returns lines to show. Not called when the push fails. */
  done(): Promise<readonly string[]>
}

/** The port of the subject that stores pull requests: they can be created and updated by a push alone (AGit). */
export interface AgitProposals {
  /** The open proposal of this name. */
  findOpen(name: ProposalName): Promise<ProposalHead | undefined>
  /** Takes a proposal in; a new one gets its number. A DomainError refuses it with its message. */
  prepare(proposal: Proposal): Promise<PreparedProposal>
  /** Web address of the open pull request that a branch of the repository leads into its base's default branch by. */
  findPullUrl(repo: Repo, branch: string): Promise<string | undefined>
}

/** Where a later subject registers that it takes proposals; without one, pushes to `refs/for/` are refused. */
export interface PushProposals {
  readonly port: AgitProposals | undefined
  register(port: AgitProposals): void
}

export function createPushProposals(): PushProposals {
  let port: AgitProposals | undefined
  return {
    get port() {
      return port
    },
    register(given) {
      if (port !== undefined) throw new Error('the port of proposals is registered twice')
      port = given
    },
  }
}

export const FOR = 'refs/for/'

type Command = IncomingPush['commands'][number]

/** One ref of a push as a proposal: what moves instead, or why it is refused (reference git-data-and-transport §14). */
export async function decideProposal(
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
  const place = await readPlace(push, command.ref.slice(FOR.length))
  if (place === undefined) return refuse('base-branch does not exist')
  const { base, topic } = place
  if (topic === '') return refuse('topic-branch is not set')
  const name = { repo, base, head: `${viewer.account.name.toLowerCase()}/${topic}` }
  const open = await port.findOpen(name)
  const fault = open?.oid === undefined ? undefined : await moveFault(push, command, open.oid)
  if (fault !== undefined) return refuse(fault)
  const words = await readWords(push, command, open === undefined)
  try {
    const prepared = await port.prepare({ ...name, ...words, viewer, topic, newOid: command.newOid })
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

/** The longest existing branch that the name begins with is the base, the rest the topic; the option `topic` wins. */
async function readPlace(
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

async function moveFault(push: IncomingPush, command: Command, oldOid: string): Promise<string | undefined> {
  if (oldOid === command.newOid) return 'new commit is same with old commit'
  if (pushFlag(push.pushOptions, 'force-push')) return undefined
  return (await push.isForced({ ...command, kind: 'update', oldOid })) ? 'request `force-push` push option' : undefined
}

async function readWords(
  push: IncomingPush,
  command: Command,
  isNew: boolean,
): Promise<Pick<Proposal, 'title' | 'description'>> {
  const title = pushOption(push.pushOptions, 'title')
  const description = pushOption(push.pushOptions, 'description')
  if (!isNew || (title !== undefined && description !== undefined)) return { title, description }
  const [first = '', ...rest] = (await tipOf(push, command.newOid)).message.trim().split('\n')
  const chosen = title ?? first
  return { title: chosen, description: description ?? (rest.join('\n').trim() || chosen) }
}

async function tipOf({ repo, env }: IncomingPush, oid: string): Promise<Commit> {
  for await (const [newest] of repo.incoming(env).newCommits(undefined, oid))
    if (newest?.commit.oid === oid) return newest.commit
  return repo.objects.commit(oid) // nothing new: it is a commit that a branch has
}
