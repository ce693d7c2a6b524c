import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Port } from '../../../core/platform/hook.ts'
import type { Repo } from '../../repositories/index.ts'

/** Identifies a proposal: at most one open proposal has these values. */
interface ProposalName {
  readonly repo: Repo
  /** Short name of an existing branch. */
  readonly base: string
  /** `{login in lower case}/{topic}`, the head branch of the pull request. No ref has this name. */
  readonly head: string
}

/** An accepted push to `refs/for/{base}/{topic}`. Its objects are still in quarantine, complete and checked. */
export interface Proposal extends ProposalName {
  readonly viewer: SignedIn
  readonly topic: string
  readonly newOid: string
  /** The push option; a new proposal without one uses the first line of its last commit. */
  readonly title: string | undefined
  /** The push option; a new proposal without one uses the text after the first line, or the title if there is none. */
  readonly description: string | undefined
}

/** The ref of a proposal. */
export interface ProposalHead {
  /** `refs/pull/7/head` */
  readonly ref: string
  /** Its tip before this push; undefined for a new proposal. */
  readonly oid: string | undefined
}

export interface PreparedProposal extends ProposalHead {
  /**
   * Runs after the ref is updated and before the report to the client; returns lines for it. Not called if the push
   * fails.
   */
  complete(): Promise<readonly string[]>
}

/** The interface that the module of pull requests registers: a push alone creates and updates them (AGit). */
export interface AgitProposals {
  /** The open proposal of this name. */
  findOpen(name: ProposalName): Promise<ProposalHead | undefined>
  /** Stores a proposal and numbers a new one. A DomainError refuses it with its message. */
  prepare(proposal: Proposal): Promise<PreparedProposal>
  /** The web URL of the open pull request from a branch of the repository to the default branch of its base. */
  findPullUrl(repo: Repo, branch: string): Promise<string | undefined>
}

/** Unless a module registers an implementation, pushes to `refs/for/` are refused. */
export type PushProposals = Port<AgitProposals>
