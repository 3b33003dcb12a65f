import { color } from './color.js';
import { fetchInTurn, request } from './tracks.js';

/**
 * Draws the waveform of a track in detail with peaks.js, which follows the sound. Returns a function that
 * removes it.
 */
export async function drawCloseup(panel, track, sound) {
  await import('./lib/peaks.js');
  const response = await request(track, 'waveformDataUrl', fetchInTurn);
  const arraybuffer = await response.arrayBuffer();
  // peaks.js draws what is not yet played only if it knows the length of the sound.
  await sound.load();
  const samplesPerPixel = new DataView(arraybuffer).getInt32(12, true);
  const options = {
    mediaElement: sound.audio,
    waveformData: { arraybuffer },
    // No view can be finer than the data.
    zoomLevels: [1, 2, 4, 8].map((factor) => factor * samplesPerPixel),
    zoomview: { container: panel.querySelector('.zoomview'), ...colors() },
    overview: { container: panel.querySelector('.overview'), ...colors(), showAxisLabels: false },
  };
  const peaks = await new Promise((resolve, reject) => {
    globalThis.peaks.init(options, (error, made) => (error ? reject(error) : resolve(made)));
  });
  panel.querySelector('.in').onclick = () => peaks.zoom.zoomIn();
  panel.querySelector('.out').onclick = () => peaks.zoom.zoomOut();
  return () => peaks.destroy();
}

const colors = () => ({
  waveformColor: color('--wave'),
  playedWaveformColor: color('--accent'),
  playheadColor: color('--accent'),
  playheadTextColor: color('--accent'),
  axisLabelColor: color('--soft'),
  axisGridlineColor: color('--line'),
  highlightColor: color('--soft'),
  highlightOpacity: 0.15,
});
