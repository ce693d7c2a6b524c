import { flatText } from '../../../core/platform/flat-text.ts'
import type { Label as LabelModel } from './label.model.ts'
import type { Label } from './label.store.ts'

/** `ownerUrl` is the API address of the repository or organization, without a trailing slash. */
export function presentLabel(label: Label, ownerUrl: string): LabelModel {
  const { id, name, color, description } = label
  return {
    id,
    name,
    exclusive: label.isExclusive,
    is_archived: label.archivedAt !== undefined,
    color,
    description,
    url: flatText(ownerUrl, '/labels/', id),
  }
}
