import { isRepoAdmin } from '../../access/repo-access.ts'
import type { Viewer } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import type { IncomingPush, PushDecision, PushResult, RefVerdict } from '../../git/index.ts'
import type { DiskQuota } from '../quota/index.ts'
import type { RepoInView } from '../repos/index.ts'
import type { Verifier } from '../verification/index.ts'
import { decideProposal, FOR, type PreparedProposal, type PushProposals } from './agit.ts'
import { addsObjects, loadRules, pushFacts, refusalOf } from './check-push.ts'
import { readPushSettings, SETTINGS_REFUSED } from './push-settings.ts'

interface DecideDeps {
  readonly database: Database
  readonly quota: DiskQuota
  readonly verifier: Verifier
  readonly proposals: Pick<PushProposals, 'port'>
}

/** The proposals of one push that were accepted, by the ref that was pushed to. */
export type PreparedProposals = Map<string, PreparedProposal>

/** One refusal fails the whole push, as a hook would (reference git-data-and-transport §13). */
export async function decidePush(
  deps: DecideDeps,
  viewer: Viewer,
  push: IncomingPush,
  target: RepoInView & { readonly prepared: PreparedProposals },
): Promise<PushDecision> {
  if (readPushSettings(push.pushOptions) !== undefined && !isRepoAdmin(target.access))
    return declined(push, SETTINGS_REFUSED)
  const facts = pushFacts(deps, viewer, target, await loadRules(deps, viewer, target.repo, push.commands))
  const common = { git: push.repo, incoming: push.repo.incoming(push.env), verifier: deps.verifier }
  for (const command of push.commands) {
    const refusal = await refusalOf(command, facts, { ...common, isForced: () => push.isForced(command) })
    if (refusal !== undefined) return declined(push, refusal.text)
  }
  if (addsObjects(push.commands) && (await deps.quota.isExceeded(target.repo.owner, 'size:repos:all')))
    return declined(push, 'Quota exceeded')
  const { port } = deps.proposals
  const verdicts: RefVerdict[] = []
  for (const command of push.commands) {
    const decision =
      port && command.ref.startsWith(FOR) ? await decideProposal(port, push, command, { ...target, viewer }) : undefined
    if (decision?.prepared) target.prepared.set(command.ref, decision.prepared)
    verdicts.push(decision?.verdict ?? { ok: true })
  }
  return { verdicts }
}

const declined = ({ commands }: IncomingPush, text: string): PushDecision => ({
  verdicts: commands.map(() => ({ ok: false, reason: 'pre-receive hook declined' })),
  messages: ['error:', `error: ${text}`, 'error:'],
})

/** Completes the proposals whose refs have moved; returns lines for the client. */
export async function finishProposals(results: readonly PushResult[], prepared: PreparedProposals): Promise<string[]> {
  const lines: string[] = []
  for (const { command, error } of results)
    if (error === undefined) lines.push(...((await prepared.get(command.ref)?.done()) ?? []))
  return lines
}
