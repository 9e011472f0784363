// Texts about a lane, and the button that pauses its sink.

import { post } from "./api.js";
import { quantile, shortDuration } from "./histogram.js";
import { button } from "./states.js";
import { number, t, word } from "./words.js";

/** Pauses a sink after a confirmation, or resumes it.
 * @returns {Promise<boolean>} false if the user cancelled */
export async function setPaused(sink, verb) {
  if (verb === "pause" && !confirm(t("pause.sure", { sink }))) return false;
  await post(`/v1/sinks/${encodeURIComponent(sink)}/${verb}`);
  return true;
}

/** The listener reads the sink and the verb from the dataset, because a redraw changes existing
 * rows and keeps their listeners. */
export function pauseButton({ sink, paused }) {
  const verb = paused ? "resume" : "pause";
  const element = button(t(verb), ({ currentTarget: { dataset } }) =>
    setPaused(dataset.sink, dataset.verb), "plain");
  Object.assign(element.dataset, { sink, verb });
  return element;
}

/** The channels of a sink, each with the sink's position in the route if it is not the first.
 * @param {Record<string, string[]>} routes */
export const channelList = (routes, sink) => Object.entries(routes)
  .filter(([, names]) => names.includes(sink))
  .map(([channel, names]) => [word("channel", channel), names.indexOf(sink) + 1])
  .map(([name, position]) => position === 1 ? name : `${name} (${number(position)})`).join(", ");

export const latencyText = ({ latency: times }) =>
  times.counts.some(Boolean) ? `≤ ${shortDuration(quantile(times, 0.99))}` : "";
