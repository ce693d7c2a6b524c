import type { Label as LabelModel } from './label.model.ts'
import type { Label } from './label.store.ts'

/** `home` is the address of the API resource of its repository or organization, without a trailing slash. */
export function presentLabel(label: Label, home: string): LabelModel {
  const { id, name, color, description } = label
  return {
    id,
    name,
    exclusive: label.isExclusive,
    is_archived: label.archivedAt !== undefined,
    color,
    description,
    url: `${home}/labels/${id}`,
  }
}
