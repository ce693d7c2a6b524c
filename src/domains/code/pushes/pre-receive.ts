import { isRepoAdmin } from '../../../core/access/repo-access.ts'
import { isSignedIn, type Viewer } from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import type { IncomingPush, PushDecision, RefVerdict } from '../../../core/git/index.ts'
import type { PushFacts } from '../protections/push-rules.policy.ts'
import type { DiskQuota } from '../../accounts/index.ts'
import { type RepoInView, findBranchWriter } from '../../repositories/index.ts'
import type { Verifier } from '../verification/verifier.service.ts'
import { addsObjects, loadRules, pushFacts, refusalOf } from './check-push.ts'
import { decideProposal, FOR } from './decide-proposal.ts'
import { readPushSettings } from './push-options.ts'
import type { PreparedProposal, PushProposals } from './push-proposals.service.ts'

interface PreReceiveDeps {
  readonly database: Database
  readonly quota: DiskQuota
  readonly verifier: Verifier
  readonly proposals: PushProposals
}

interface PushTarget extends RepoInView {
  /** Receives the accepted proposals, by the ref that was pushed to. */
  readonly prepared: Map<string, PreparedProposal>
}

const BRANCH = 'refs/heads/'
const SETTINGS_REFUSED = 'options validation failed: permission denied for changing repo settings'

/**
 * Decides about every ref of a push. One refusal fails the whole push, as that of a hook does
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
 * What the rules depend on for a branch that the viewer moves by the right of the poster of a pull request; undefined
 * for everything that the viewer moves by its own (behaviour/git-data-and-transport#edits-by-maintainers).
 */
async function factsOfMaintainer(
  deps: PreReceiveDeps,
  viewer: Viewer,
  target: RepoInView,
  command: IncomingPush['commands'][number],
): Promise<PushFacts | undefined> {
  const { ref, kind } = command
  if (kind !== 'update' || !ref.startsWith(BRANCH) || !isSignedIn(viewer)) return undefined
  const writer = await findBranchWriter(deps.database.read, viewer, target, ref.slice(BRANCH.length))
  if (writer === undefined || writer.viewer === viewer) return undefined
  const rules = await loadRules(deps, writer.viewer, target.repo, [command])
  return pushFacts(deps, writer.viewer, { repo: target.repo, access: writer.access }, rules)
}

/** Proposals may be refused one by one; every other ref is accepted. */
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
  messages: [`error: ${text}`],
})
