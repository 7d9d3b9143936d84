package sgemm

// ReLUGrad is reluGrad.
var ReLUGrad = reluGrad
