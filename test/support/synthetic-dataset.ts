export * from '../../bench/serving/small/dataset.js';
