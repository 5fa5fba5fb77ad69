/** What both plugins of this example agree on: the service, and where its data is. */
import { readFile } from 'node:fs/promises';
import { ServiceKey } from 'mini-app-mcp/plugin';

/**
 * @typedef {object} ForecastService
 * @property {(city: string) => Promise<string | undefined>} get The forecast of a city, or nothing for an unknown one.
 */

/** @type {ServiceKey<ForecastService>} */
export const Forecast = new ServiceKey('example/Forecast');

/** @returns {Promise<ForecastService>} */
export async function forecastsFromFile(file = new URL('forecasts.json', import.meta.url)) {
  /** @type {Record<string, string>} */
  const forecasts = JSON.parse(await readFile(file, 'utf8'));
  return { get: async (city) => forecasts[city.toLowerCase()] };
}
