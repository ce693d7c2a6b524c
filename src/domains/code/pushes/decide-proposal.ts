import { AccessMode } from '../../../core/access/access-mode.ts'
import { unitMode } from '../../../core/access/repo-access.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import {
  branchRef,
  type Commit,
  type GitRepo,
  type IncomingPush,
  type RefMove,
  type RefVerdict,
} from '../../../core/git/index.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import type { RepoInView } from '../../repositories/index.ts'
import { pushFlag, pushOption } from './push-options.ts'
import type { AgitProposals, PreparedProposal, Proposal, ProposalHead } from './push-proposals.service.ts'

/** Refs that are pushed to but never exist: each push proposes a change of the branch that the name starts with. */
export const FOR = 'refs/for/'

/** Bytes; databases look proposals up by it. */
const MAX_HEAD = 255
const CONTROL = /\p{Cc}/u

type Command = IncomingPush['commands'][number]

/**
 * Decides about one ref below `refs/for/`: which ref moves in its place, or why it is refused
 * (behaviour/git-data-and-transport#agit).
 */
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
 * The base is the longest existing branch that the name starts with, the topic is the option `topic` or what follows.
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
