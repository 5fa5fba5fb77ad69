/** What a plugin is written with: `import { Contract, Plugin, Projection, ServiceKey } from 'mini-app-mcp/plugin'`. */
export { z } from 'zod';
export { isStoreError, StoreError } from './errors.js';
export type { Binding, CallContext, ToolAnnotation } from './mcp/binding.js';
export { Contract, type Operation, ServiceKey } from './mcp/contract.js';
export { Plugin, type PluginDefinition, type PluginScope } from './mcp/plugins/plugin.js';
export { type PluginCommand, type PluginRow, type PluginStore, Store } from './mcp/plugins/plugin-store.js';
export { Projection } from './mcp/projection.js';
export { ProjectionConflict, ProjectionError, type ProjectionProblem } from './mcp/projection-error.js';
export type { ToolMetadata, ViewRevision } from './mcp/publication.js';
export type { ViewController } from './mcp/view-controller.js';
