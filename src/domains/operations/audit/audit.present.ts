import { wireTime } from '../../../core/platform/clock.ts'
import type { AuditEntry as AuditEntryModel } from './audit.model.ts'
import type { AuditEntry } from './audit.store.ts'

export const presentAuditEntry = (entry: AuditEntry): AuditEntryModel => ({
  id: entry.id,
  created_at: wireTime(entry.created_at),
  action: entry.action,
  outcome: entry.outcome,
  actor: { id: entry.actor_id, name: entry.actor_name },
  sudo_by: entry.sudo_by_id === 0 ? null : { id: entry.sudo_by_id, name: entry.sudo_by_name },
  credential: { kind: entry.credential, id: entry.credential_id, name: entry.credential_name },
  address: entry.address,
  user_agent: entry.user_agent,
  target: { kind: entry.target_kind, id: entry.target_id, name: entry.target_name },
  details: JSON.parse(entry.details) as Record<string, unknown>,
})
